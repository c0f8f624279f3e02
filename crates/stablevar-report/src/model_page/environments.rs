//! The chosen variables' effects in every environment.

use crate::page::{name as shown, table};
use crate::text::{capitalised, count, environments, escape, number, p_value};
use stablevar::fit::{ColumnAcross, EffectAcross, EnvironmentEffects, FittedModel};

/// Environments that are shown at most.
const SHOWN: usize = 40;

pub(super) fn section(model: &FittedModel) -> String {
    let Some(effects) = &model.environments else { return String::new() };
    let slopes: String = effects.effects.iter().map(|effect| of_variable(effects, effect)).collect();
    let small: Vec<String> = effects
        .environments
        .iter()
        .filter(|place| !place.judged)
        .take(SHOWN)
        .map(|place| format!("{} ({} rows)", shown(&place.name), count(place.rows)))
        .collect();
    let few = if small.is_empty() { String::new() } else { format!("<p>Too few rows: {}.</p>", small.join(", ")) };
    format!(
        "<p>{}.</p><p>For every value of {} the outcome is regressed on the chosen variables. A stable variable has the same slope \
         everywhere; Cochran&#39;s test, with robust standard errors and corrected for the number of variables, says whether the slopes \
         differ by more than chance. A curve that is taken for a line may differ, too.</p>{few}{slopes}",
        escape(&capitalised(&environments(effects))),
        shown(&effects.column),
    )
}

fn of_variable(effects: &EnvironmentEffects, effect: &EffectAcross) -> String {
    let header: Vec<String> = std::iter::once(shown(&effects.column))
        .chain(effect.columns.iter().map(|column| shown(&column.name)))
        .collect();
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let slope = |column: &ColumnAcross, place: usize| {
        column.slopes[place].as_ref().map_or_else(
            || "–".into(),
            |slope| format!("{} (s.e. {})", number(slope.effect), number(slope.standard_error)),
        )
    };
    let judged = (0..effects.environments.len()).filter(|&place| effects.environments[place].judged);
    let rows: Vec<Vec<String>> = judged
        .take(SHOWN)
        .map(|place| {
            let own = effect.columns.iter().map(|column| slope(column, place));
            std::iter::once(shown(&effects.environments[place].name)).chain(own).collect()
        })
        .collect();
    let verdict = if effect.differs { "differs" } else { "no difference beyond chance" };
    format!(
        "<details{}><summary><strong>{}</strong>: {verdict} (Q = {:.1}, {} degrees, corrected p = {})</summary>{}</details>",
        if effect.differs { " open" } else { "" },
        shown(&effect.variable),
        effect.statistic,
        effect.degrees,
        p_value(effect.corrected_p_value),
        table(&header, &rows)
    )
}
