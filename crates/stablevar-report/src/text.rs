//! Text that is safe to show, whatever it holds.

use stablevar::diagnostics::is_weaker_than_its_t;
use stablevar::evidence::Sufficiency;
use stablevar::finding::Code;
use stablevar::fit::{EnvironmentEffects, FittedModel};
use stablevar::selection::{Rule, StandIn};
use stablevar::stress::{Figures, RefitChoice};
use std::collections::HashSet;

/// Text that is safe inside HTML and SVG, also in quoted attributes.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // Direction marks would reorder the text around them.
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' => escaped.push('\u{fffd}'),
            control if control.is_control() => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}

/// Prose or a command as HTML in which no line breaks inside the name of an option, as browsers do after hyphens.
pub fn prose(text: &str) -> String {
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    let (mut html, mut rest) = (String::new(), text);
    while let Some(at) = rest.find("--") {
        let end = rest[at..].find(|letter| !is_name(letter)).map_or(rest.len(), |length| at + length);
        let begins = rest[..at].chars().next_back().is_none_or(|before| !is_name(before));
        html.push_str(&escape(&rest[..at]));
        let name = escape(&rest[at..end]);
        html.push_str(&if begins && end > at + 2 { format!("<span class=\"whole\">{name}</span>") } else { name });
        rest = &rest[end..];
    }
    html + &escape(rest)
}

/// A value of a table as a reader needs it: of a number with a fraction the digits that count, all else as it stands.
pub fn value(text: &str) -> String {
    match text.parse::<f64>() {
        Ok(number_of_it) if number_of_it.is_finite() && number_of_it.fract() != 0.0 => number(number_of_it),
        _ => text.to_string(),
    }
}

/// At most `most` characters, with an ellipsis where some were cut.
pub fn shorten(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_string();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// A name of at most `most` characters: what is too much is cut from its middle, since names mostly differ at their ends.
pub fn shorten_name(name: &str, most: usize) -> String {
    cut_before_level(name, most).filter(|_| name.chars().count() > most).unwrap_or_else(|| cut(name, most, 0.6))
}

/// Names of at most `most` characters, no two alike where the names are not.
pub fn labels<'a>(names: impl IntoIterator<Item = &'a str>, most: usize) -> Vec<String> {
    let names: Vec<&str> = names.into_iter().collect();
    let fits = |name: &str| name.chars().count() <= most;
    let mut taken: HashSet<String> = names.iter().filter(|name| fits(name)).map(|name| name.to_string()).collect();
    let mut label = |name: &&str| {
        if fits(name) {
            return name.to_string();
        }
        // Of a level what it is called tells more than the column. Where two names are alike at both ends, more of one end may tell them
        // apart; else a number has to.
        let cuts = cut_before_level(name, most).into_iter().chain([0.6, 0.2, 0.9].map(|front| cut(name, most, front)));
        let cuts = cuts.chain(different_middle(name, &names, most));
        let numbered = (2..).map(|k| {
            let number = format!(" #{k}");
            cut(name, most.saturating_sub(number.len()), 0.6) + &number
        });
        cuts.chain(numbered).find(|label| taken.insert(label.clone())).unwrap_or_default()
    };
    names.iter().map(&mut label).collect()
}

/// The beginning of a name, and the part from which on it differs from the name that is most like it.
fn different_middle(name: &str, names: &[&str], most: usize) -> Option<String> {
    let shared = |other: &&&str| name.chars().zip(other.chars()).take_while(|(one, other)| one == other).count();
    let from = names.iter().filter(|other| **other != name).map(|other| shared(&other)).max()?;
    let front = most / 3;
    let room = most.checked_sub(front + 2).filter(|_| from > front)?;
    let middle: String = name.chars().skip(from.saturating_sub(1)).take(room).collect();
    let ends = if from.saturating_sub(1) + room < name.chars().count() { "…" } else { "" };
    Some(format!("{}…{middle}{ends}", name.chars().take(front).collect::<String>()))
}

/// `column=level` with the column's name cut, where that leaves something of it.
fn cut_before_level(name: &str, most: usize) -> Option<String> {
    let (column, level) = name.split_once('=').filter(|(_, level)| !level.contains('='))?;
    let room = most.checked_sub(level.chars().count() + 1).filter(|room| *room >= LEAST_OF_COLUMN)?;
    Some(format!("{}={level}", cut(column, room, 1.0)))
}

/// Letters of a column's name that tell something.
const LEAST_OF_COLUMN: usize = 4;

/// The text without its middle, this share of what stays being its beginning.
fn cut(text: &str, most: usize, front: f64) -> String {
    let letters = text.chars().count();
    if letters <= most {
        return text.to_string();
    }
    let kept = most.saturating_sub(1);
    let first = (front * kept as f64).round() as usize;
    let last = text.chars().skip(letters - (kept - first));
    text.chars().take(first).chain(['…']).chain(last).collect()
}

/// A number with as many digits as a reader needs, its thousands apart.
pub fn number(value: f64) -> String {
    if value == 0.0 {
        "0".into()
    } else if (1e-3..1e9).contains(&value.abs()) {
        let digits = (4 - value.abs().log10().floor() as i32).clamp(0, 6) as usize;
        grouped(&format!("{value:.digits$}"))
    } else {
        format!("{value:.4e}")
    }
}

/// A count with its thousands apart.
pub fn count(value: usize) -> String {
    grouped(&value.to_string())
}

/// A written number with its thousands apart.
pub fn grouped(number: &str) -> String {
    let start = usize::from(number.starts_with('-'));
    let end = number.find('.').unwrap_or(number.len());
    let mut parted = number[..start].to_string();
    for (k, digit) in number[start..end].chars().enumerate() {
        if k > 0 && (end - start - k).is_multiple_of(3) {
            parted.push(',');
        }
        parted.push(digit);
    }
    parted + &number[end..]
}

/// A p-value as people write them: two digits that count, and a bound where no more can be told.
pub fn p_value(value: f64) -> String {
    match value {
        tiny if tiny < 1e-16 => "< 1e-16".into(),
        small if small < 1e-4 => format!("{small:.1e}"),
        some if some < 0.1 => {
            let digits = (1 - some.log10().floor() as i32) as usize;
            format!("{some:.digits$}")
        }
        large => format!("{large:.2}"),
    }
}

/// The text with its first letter large.
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// How many rows have weight 0, or next to nothing.
pub fn without_weight(model: &FittedModel) -> usize {
    let profile = model.diagnostics.weights.as_ref();
    profile.and_then(|profile| profile.by_size.as_ref()).map_or(0, |by_size| by_size.without_weight)
}

/// Standard errors from which on a difference is not put down to chance.
const SURE: f64 = 2.0;

/// Whether there is a probability to show: methods without gates and evidence have none.
pub fn has_probability(model: &FittedModel) -> bool {
    model.method.loop_settings().is_some() || !model.penalty_path.is_empty()
}

/// Whether a variable was chosen though by itself it is below the cut-off: with others, or since the set needed it.
pub fn joined(model: &FittedModel, variable: usize) -> bool {
    let Some(evidence) = model.evidence.as_ref().and_then(|all| all.get(variable)) else { return false };
    let below = match model.method.rule().and_then(Rule::threshold) {
        Some(threshold) => model.open_probability[variable] < threshold,
        None => evidence.companion,
    };
    below && model.selected.contains(&variable) && model.standing(variable).is_none()
}

/// Whether a variable's effect was found to be another in other environments.
pub fn differs(model: &FittedModel, variable: usize) -> bool {
    let name = &model.encoding.features[variable].name;
    model.warnings.iter().any(|finding| finding.code == Code::EffectDiffers && finding.variables.contains(name))
}

/// In a sentence why a probability is high beside a p-value that is not small, where a variable came into the set since the others did not
/// tell all.
pub fn given_the_set(model: &FittedModel) -> Option<String> {
    let evidence = model.evidence.as_ref()?;
    let needed = model.selected.iter().filter(|&&variable| evidence[variable].needed);
    let names: Vec<String> = needed.map(|&variable| format!("'{}'", model.encoding.features[variable].name)).collect();
    (!names.is_empty()).then(|| {
        format!(
            "*: of {} the probability is that given the other chosen ones, which others could stand in for; the p-value is given all columns",
            names.join(", ")
        )
    })
}

/// Smaller p-values leave nothing to explain.
const BEYOND_DOUBT: f64 = 1e-4;

/// In a sentence why p-values of some variables are larger than their t lets expect, if any are.
pub fn weaker_than_t(model: &FittedModel) -> Option<String> {
    let judged = model.encoding.features.iter().zip(model.evidence.iter().flatten());
    let names: Vec<String> = judged
        .filter(|(_, evidence)| is_weaker_than_its_t(evidence) && evidence.p_value > BEYOND_DOUBT)
        .map(|(feature, _)| format!("'{}'", shorten_name(&feature.name, 40)))
        .collect();
    let (shown, more) = names.split_at(names.len().min(5));
    let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    let told = || {
        format!(
            "p-values of {}{more} are larger than effects and standard errors suggest: few rows tell of them, as of a rare mark, so \
             that t has few degrees of freedom, or effects of other shapes, which are tested as well, do not show at all",
            shown.join(", ")
        )
    };
    (!names.is_empty()).then(told)
}

/// How far one variable goes with another that it could stand in for; of texts the pair of levels that does most.
pub fn correlation(model: &FittedModel, pair: &StandIn) -> String {
    let texts = [pair.variable, pair.stands_for].iter().any(|&one| model.encoding.features[one].columns.len() > 1);
    format!(
        "{} {:.2}",
        if texts { "the most alike of their levels have a correlation of" } else { "correlation" },
        pair.correlation
    )
}

/// In a sentence whether the selected variables predict as well as all.
pub fn sufficiency(set: &Sufficiency) -> String {
    let errors = set.difference / set.standard_error;
    let verdict = match set.sufficient {
        true => "predict as well as all of them".to_string(),
        false if errors < SURE => format!("may predict worse than all of them ({errors:.1} standard errors)"),
        false => "predict worse than all of them".into(),
    };
    let share = |value: f64| 100.0 * value / set.loss_all;
    let difference = match set.loss_all > 0.0 {
        true => format!("difference {:+.1} %, s.e. {:.1} %", share(set.difference), share(set.standard_error)),
        false => format!("difference {}, s.e. {}", number(set.difference), number(set.standard_error)),
    };
    format!(
        "in these rows the selected variables {verdict}: loss of flexible regressions {} against {} ({difference})",
        number(set.loss_selected),
        number(set.loss_all)
    )
}

/// How the refit that was taken does in regions; `None` if there was nothing to choose.
pub fn taken(choice: &RefitChoice) -> Option<&Figures> {
    choice.candidates.iter().find(|candidate| candidate.name == choice.chosen).map(|candidate| &candidate.figures)
}

/// How the refit was chosen: what it is, why, among what, and how it does.
pub fn refit(choice: &RefitChoice) -> Vec<String> {
    let tried = match choice.candidates.len() {
        0 => None,
        many => Some(format!(
            "  tried: {many} ways to fit, without {} {} of the rows in turn",
            choice.regions.len(),
            choice.held_out()
        )),
    };
    let figures = taken(choice).map(|figures| {
        format!(
            "  there: {:.3} of the error of a linear fit on all columns (s.e. {:.3}), its worst error over the worst of that {:.3}",
            figures.stress_error, figures.standard_error, figures.stress_worst
        )
    });
    let lines = [format!("refit: {}", choice.chosen), format!("  why: {}", choice.why)];
    lines.into_iter().chain(tried).chain(figures).collect()
}

/// In a sentence whether the chosen variables act alike in all environments.
pub fn environments(effects: &EnvironmentEffects) -> String {
    let judged = effects.environments.iter().filter(|place| place.judged).count();
    let of = format!("{judged} of {} environments of '{}'", effects.environments.len(), effects.column);
    let Some(least) = effects.effects.iter().map(|effect| effect.corrected_p_value).reduce(f64::min) else {
        return format!("effects could not be compared between environments: {of} have rows enough");
    };
    let differ: Vec<String> =
        effects.effects.iter().filter(|effect| effect.differs).map(|effect| format!("'{}'", effect.variable)).collect();
    match &differ[..] {
        [] => format!("the chosen variables act alike in {of}, as far as these rows tell (least p-value {least:.3})"),
        names => format!("effects that differ between {of}: {}", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_names_become_text() {
        assert_eq!(escape("<script>\"x\"</script>"), "&lt;script&gt;&quot;x&quot;&lt;/script&gt;");
        assert_eq!(escape("a\u{202e}b\u{7}"), "a\u{fffd}b\u{fffd}");
        assert_eq!(shorten(&"x".repeat(100), 5), "xxxx…");
    }

    #[test]
    fn options_stay_whole_in_prose() {
        assert_eq!(
            prose("use --balance-steps <9> (--loops), a -- b or x--y"),
            "use <span class=\"whole\">--balance-steps</span> &lt;9&gt; (<span class=\"whole\">--loops</span>), a -- b or x--y"
        );
        assert_eq!(prose("--exclude"), "<span class=\"whole\">--exclude</span>");
        assert_eq!(prose("\"a\""), "&quot;a&quot;");
    }

    #[test]
    fn values_of_a_table_lose_digits_that_do_not_count() {
        assert_eq!(
            ["0.123456789012", "98103", "007", "1e400", "text"].map(value),
            ["0.12346", "98103", "007", "1e400", "text"]
        );
    }

    #[test]
    fn numbers_are_as_long_as_needed() {
        assert_eq!(
            [number(0.0), number(0.12345678), number(-1234.5678), number(12_345_678.9), number(1e-9), number(3e12)],
            ["0", "0.12346", "-1,234.6", "12,345,679", "1.0000e-9", "3.0000e12"]
        );
        assert_eq!([count(7), count(999), count(1000), count(1_234_567)], ["7", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn p_values_are_as_people_write_them() {
        let values = [0.2811, 1.0, 0.0998, 0.0501, 0.0074, 0.00012, 3.21e-8, 1e-17, 0.0];
        let written = ["0.28", "1.00", "0.100", "0.050", "0.0074", "0.00012", "3.2e-8", "< 1e-16", "< 1e-16"];
        assert_eq!(values.map(p_value), written);
    }

    #[test]
    fn what_may_be_chance_is_not_said_as_a_fact() {
        let set = |difference: f64, sufficient: bool| Sufficiency {
            loss_selected: 1.0 + difference,
            loss_all: 1.0,
            difference,
            standard_error: 0.1,
            sufficient,
        };
        let words = sufficiency(&set(0.05, true));
        assert!(
            words.contains("predict as well as all") && words.ends_with("(difference +5.0 %, s.e. 10.0 %)"),
            "{words}"
        );
        assert!(sufficiency(&set(0.157, false)).contains("may predict worse than all of them (1.6 standard errors)"));
        assert!(sufficiency(&set(0.3, false)).contains("variables predict worse than all of them: loss"));
    }

    #[test]
    fn long_names_lose_their_middle_and_stay_distinct() {
        assert_eq!(shorten_name("sqft_living", 22), "sqft_living");
        assert_eq!(shorten_name("mean_temperature_of_the_last_week", 16), "mean_temp…t_week");
        assert_eq!(shorten_name("marital-status=Never-married", 22), "marital…=Never-married");
        assert_eq!(shorten_name("marital-status=Married-civ-spouse", 20), "marital-sta…v-spouse");
        let names = ["x".repeat(40), "x".repeat(50), format!("{}y{}", "x".repeat(20), "x".repeat(20)), "short".into()];
        let short = labels(names.iter().map(String::as_str), 12);
        let distinct: HashSet<&String> = short.iter().collect();
        assert_eq!((distinct.len(), short[3].as_str()), (4, "short"));
        assert!(short.iter().all(|label| label.chars().count() <= 12), "{short:?}");
        // Names that differ at their ends only, as in surveys and sensors.
        let many: Vec<String> = (0..500).map(|k| format!("{}_{k}", "sensor_reading_of_line_a".repeat(3))).collect();
        let short = labels(many.iter().map(String::as_str), 22);
        assert_eq!(short.iter().collect::<HashSet<_>>().len(), 500);
        assert!(short[417].ends_with("417"), "{}", short[417]);
    }
}
