//! A fit for other programs.

use serde_json::{Map, Value, json};
use stablevar::diagnostics::is_weaker_than_its_t;
use stablevar::estimator::Estimator;
use stablevar::evidence::VariableEvidence;
use stablevar::finding::{Finding, Words};
use stablevar::fit::{ColumnAcross, EffectAcross, EnvironmentEffects, FittedModel};
use stablevar::foresight::Foresight;
use stablevar::models::Model;
use stablevar::wording::Wording;

fn object(entries: impl Iterator<Item = (String, f64)>) -> Value {
    Value::Object(entries.map(|(name, value)| (name, json!(value))).collect::<Map<_, _>>())
}

/// The JSON object of a fit.
pub fn json(model: &FittedModel, wording: &dyn Wording) -> Value {
    let names = model.encoding.feature_names();
    let coefficients = model.model.coefficients(&model.encoding);
    let by_name = |values: &[f64]| object(names.iter().cloned().zip(values.iter().copied()));
    let used = model.used_columns();
    let history: Vec<Value> = model
        .history
        .iter()
        .map(|step| {
            json!({
                "open_probability": by_name(&step.gates.open_probability),
                "mean_gate": by_name(&step.gates.mean_gate),
                "penalty": by_name(&step.gates.penalties),
                "loss": step.gates.loss,
                "n_eff": step.effective_sample_size,
                "remaining_correlation": step.remaining_correlation,
                "passes": step.passes,
                "change": step.change,
            })
        })
        .collect();
    let condition = |condition: &Option<stablevar::diagnostics::SelectionCondition>| {
        condition.as_ref().map(|condition| {
            object(condition.values.iter().map(|&(column, value)| (model.encoding.columns[column].name.clone(), value)))
        })
    };
    let path: Vec<Value> = model
        .penalty_path
        .iter()
        .map(|(factor, open)| json!({"factor": factor, "open_probability": by_name(open)}))
        .collect();
    let left_out: Vec<Value> = model
        .encoding
        .left_out
        .iter()
        .map(|finding| json!({"name": finding.variables.first(), "reason": finding.words(wording).meaning}))
        .collect();
    // By their names; a model of a newer program may have some that this one does not know.
    let settings = Estimator::settings_of(model).unwrap_or_default();
    let settings: Map<String, Value> = settings.into_iter().map(|(name, value)| (name.into(), json!(value))).collect();
    let stand_ins: Vec<Value> = model
        .stand_ins
        .iter()
        .map(|pair| {
            json!({"variable": names[pair.variable], "stands_for": names[pair.stands_for], "correlation": pair.correlation})
        })
        .collect();
    // Other variables by their names, not by their positions.
    let told = |evidence: &VariableEvidence| {
        let mut value = json!(evidence);
        value["alternatives"] = evidence.alternatives.iter().map(|&variable| names[variable].clone()).collect();
        value["weaker_than_t"] = is_weaker_than_its_t(evidence).into();
        value["judged_without"] = evidence.judged_without.iter().map(|&variable| names[variable].clone()).collect();
        value
    };
    let known = names.iter().filter_map(|name| Some((name.clone(), json!(model.told.of(name)?))));
    let of_columns = |values: &[f64]| {
        object(used.iter().map(|&column| (model.encoding.columns[column].name.clone(), values[column])))
    };
    let mut all = json!({
        "method": model.method.name(),
        "task": model.task,
        "target": model.target,
        "classes": model.classes,
        "n": model.rows,
        "p": names.len(),
        "features": names,
        "selected": model.selected_names(),
        "probability": by_name(&model.open_probability),
        "open_probability": by_name(&model.open_probability),
        "evidence": model.evidence.as_ref().map(|evidence| names.iter().zip(evidence).map(|(name, evidence)| (name.clone(), told(evidence))).collect::<Map<_, _>>()),
        "evidence_source": model.evidence_source,
        "sufficiency": model.sufficiency,
        "selection_frequency": model.selection_frequency.as_deref().map(by_name),
        "stand_ins": stand_ins,
        "refit": refit(model),
        "model": match model.model { Model::Linear(_) => "linear", Model::Network(_) => "network", Model::Trees(_) => "trees" },
        "coefficients": of_columns(&coefficients),
        "intercept": model.model.intercept(&model.encoding),
        "n_eff": model.effective_sample_size,
        "loops": model.history.len(),
        "converged": model.converged,
        "stop_reason": model.stop_reason,
        "warnings": model.warnings.iter().map(|finding| finding.words(wording).to_string()).collect::<Vec<_>>(),
        "findings": findings(&model.warnings, wording),
        "left_out": left_out,
        "remaining_correlation": model.diagnostics.remaining_correlation,
        "distance_correlation": model.diagnostics.distance_correlation.map(|(before, after)| json!({"before": before, "after": after})),
        "truncated_share": model.diagnostics.truncated,
        "balance": model.diagnostics.balance,
        "separation": model.diagnostics.separation,
        "selection_condition": {
            "before": condition(&model.diagnostics.condition_before),
            "after": condition(&model.diagnostics.condition_after),
        },
        "penalty_path": path,
        "history": history,
        "seed": model.seed,
        "settings": settings,
        "inputs": model.encoding.inputs,
        "columns": model.encoding.columns.iter().map(|column| json!({"name": column.name, "feature": names[column.feature]})).collect::<Vec<_>>(),
    });
    all["uses"] = json!(model.used_names());
    // Apart from the others, which are as many as the macro can take.
    let errors =
        model.standard_errors().map(|errors| errors.into_iter().map(|(name, error)| (name.to_string(), error)));
    all["standard_errors"] = errors.map_or(Value::Null, object);
    // What matters to trees, which have no coefficients.
    all["influence"] = model.model.influence().map_or(Value::Null, |values| of_columns(&values));
    all["told"] = Value::Object(known.collect());
    all["environments"] = model.environments.as_ref().map_or(Value::Null, environments);
    all["remembered_rows"] = model.memory.as_ref().map_or(0, |memory| memory.rows()).into();
    all
}

/// Effects by environment, by the names of variables and environments.
fn environments(effects: &EnvironmentEffects) -> Value {
    let slopes = |column: &ColumnAcross| {
        let told = effects.environments.iter().zip(&column.slopes);
        Value::Object(told.filter_map(|(place, slope)| Some((place.name.clone(), json!(slope.as_ref()?)))).collect())
    };
    let across = |effect: &EffectAcross| {
        let mut told = json!(effect);
        let columns = effect.columns.iter().map(|column| (column.name.clone(), slopes(column)));
        told["columns"] = Value::Object(columns.collect());
        (effect.variable.clone(), told)
    };
    json!({
        "column": effects.column,
        "environments": effects.environments,
        "effects": effects.effects.iter().map(across).collect::<Map<_, _>>(),
    })
}

/// The JSON object of what is foreseen for new rows.
pub fn foresight(foresight: &Foresight, wording: &dyn Wording) -> Value {
    let mut told = json!(foresight);
    told["findings"] = findings(&foresight.findings, wording);
    told
}

/// How the model on the variables chosen came about; without a stress test there is but the kind that was asked for.
fn refit(model: &FittedModel) -> Value {
    match &model.refit {
        Some(choice) => json!(choice),
        None => json!({"chosen": model.method.refit.name(), "strength": null, "n_eff": null, "candidates": []}),
    }
}

/// Findings as data, with their words.
pub fn findings(findings: &[Finding], wording: &dyn Wording) -> Value {
    let told = |finding: &Finding| {
        let Words { what, meaning, remedy } = finding.words(wording);
        let mut told = json!(finding);
        told["what"] = what.into();
        told["meaning"] = meaning.into();
        told["remedy"] = remedy.into();
        told
    };
    findings.iter().map(told).collect()
}
