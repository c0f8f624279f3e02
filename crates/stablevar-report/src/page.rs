//! What every page is made of.

use crate::text::{escape, shorten_name};
use std::time::{SystemTime, UNIX_EPOCH};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// The one script that a page may run; whatever else found its way in, a browser refuses. A test holds it to the script.
const SCRIPT_HASH: &str = "sha256-qpSSoeBc/6i49za2nr1fbkAqiA7eK+2q+RtqcWyuS5M=";

/// A document of sections that are HTML; `title` is text. Nothing in it moves.
pub fn document(title: &str, sections: &[String]) -> String {
    whole(title, "default-src 'none'; style-src 'unsafe-inline'", sections, "")
}

/// A document whose tables can be sorted and whose sliders slide.
pub fn moving_document(title: &str, sections: &[String]) -> String {
    let allowed = format!("default-src 'none'; style-src 'unsafe-inline'; script-src '{SCRIPT_HASH}'");
    let sections = [sections, &[footer()]].concat();
    whole(title, &allowed, &sections, &format!("<script>{SCRIPT}</script>"))
}

fn whole(title: &str, allowed: &str, sections: &[String], script: &str) -> String {
    let title = escape(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{allowed}\">\
         <title>{title}</title><style>{STYLE}</style></head>\n<body><main><h1>{title}</h1>\n{}\n</main>{script}</body></html>\n",
        sections.join("\n")
    )
}

/// A section with its heading, to which others can point.
pub fn section(id: &str, heading: &str, content: &str) -> String {
    format!("<section id=\"{id}\" aria-labelledby=\"{id}-h\"><h2 id=\"{id}-h\">{heading}</h2>{content}</section>")
}

/// A table of cells that hold HTML.
pub fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let head: String = header.iter().map(|cell| format!("<th scope=\"col\">{cell}</th>")).collect();
    let body: String = rows
        .iter()
        .map(|row| format!("<tr>{}</tr>", row.iter().map(|cell| format!("<td>{cell}</td>")).collect::<String>()))
        .collect();
    scrolling(&format!("<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"))
}

/// A cell of a table that can be sorted.
pub struct TableCell {
    /// What it shows, as HTML.
    pub html: String,
    /// What it is sorted by; else its text.
    pub rank: Option<f64>,
}

impl TableCell {
    /// Sorted by its text.
    pub fn text(html: String) -> Self {
        Self { html, rank: None }
    }

    /// Sorted by a number.
    pub fn number(html: String, rank: f64) -> Self {
        Self { html, rank: Some(rank) }
    }
}

/// A table that can be sorted by any column.
pub fn sortable_table(id: &str, caption: &str, header: &[&str], rows: &[Vec<TableCell>]) -> String {
    let head: String =
        header.iter().map(|cell| format!("<th scope=\"col\"><button type=\"button\">{cell}</button></th>")).collect();
    let cell = |cell: &TableCell| match cell.rank {
        Some(rank) => format!("<td data-sort=\"{rank:.6e}\">{}</td>", cell.html),
        None => format!("<td>{}</td>", cell.html),
    };
    let body: String =
        rows.iter().map(|row| format!("<tr>{}</tr>", row.iter().map(cell).collect::<String>())).collect();
    scrolling(&format!(
        "<table class=\"sortable\" id=\"{id}\"><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    ))
}

fn scrolling(table: &str) -> String {
    format!("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"table\">{table}</div>")
}

/// What the headings of a table mean, for those who ask; names are text, meanings HTML.
pub fn explained(headings: &[(&str, String)]) -> String {
    let terms: String =
        headings.iter().map(|(name, meaning)| format!("<dt>{}</dt><dd>{meaning}</dd>", escape(name))).collect();
    format!(
        "<details class=\"explained\"><summary>What the headings mean</summary><dl class=\"facts\">{terms}</dl></details>"
    )
}

/// A name that is safe to show, cut to a length that a phone's line can take. The whole of it shows under the pointer, and
/// lines may break between its words, never inside.
pub fn name(name: &str) -> String {
    let short = shorten_name(name, SHOWN_NAME);
    // A short one fits on any line.
    let may_break = short.chars().count() > UNBROKEN_NAME;
    let mut html = String::new();
    for letter in escape(&short).chars() {
        html.push(letter);
        if may_break && matches!(letter, '_' | '-' | '.' | '/' | '=') {
            html.push_str("<wbr>");
        }
    }
    if short == name {
        return html;
    }
    format!("<span title=\"{}\">{html}</span>", escape(&shorten_name(name, HINTED_NAME)))
}

/// Letters of a name that stand in text and tables, and under the pointer.
const SHOWN_NAME: usize = 44;
/// Letters up to which a name is not broken at all.
const UNBROKEN_NAME: usize = 14;
const HINTED_NAME: usize = 80;

/// Charts of one width: as many beside each other as the screen has room for.
pub fn panels(pictures: &[String]) -> String {
    format!("<div class=\"panels\">{}</div>", pictures.concat())
}

/// A picture that is this wide and can't be made smaller: a narrow screen moves along it.
pub fn wide(picture: &str, width: f64, label: &str) -> String {
    // Letters of a picture are 10 units high; at 1.1 pixels to the unit they can be read.
    format!(
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><div style=\"min-width:{:.0}px;max-width:{:.0}px\">\
         {picture}</div></div>",
        escape(label),
        1.12 * width,
        1.4 * width
    )
}

/// One picture for screens and another of the same for phones.
pub fn by_screen(wide: &str, narrow: &str) -> String {
    format!("<div class=\"for-wide\">{wide}</div><div class=\"for-narrow\">{narrow}</div>")
}

/// When, by what and where to read more.
fn footer() -> String {
    let docs = "More in the folder docs of stablevar: report.md on this page, evidence.md, method.md and foresee.md on what is behind it.";
    format!("<footer>Written on {} by stablevar {}. {docs}</footer>", today(), env!("CARGO_PKG_VERSION"))
}

/// Today's date, or the one that SOURCE_DATE_EPOCH says, for pages that must be the same again.
fn today() -> String {
    let asked = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|seconds| seconds.parse::<u64>().ok());
    let since = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_secs());
    date(asked.unwrap_or(since) / 86_400)
}

/// The date that is so many days after 1970-01-01 (Howard Hinnant's algorithm: years begin in March).
fn date(days: u64) -> String {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + 400 * era + u64::from(month <= 2);
    format!("{year}-{month:02}-{day:02}")
}

/// A picture with a caption that is text.
pub fn captioned(picture: &str, caption: &str) -> String {
    format!("<figure>{picture}<figcaption>{}</figcaption></figure>", escape(caption))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::{Digest, Sha256};

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(
            [0, 59, 11_016, 19_782, 20_775].map(date),
            ["1970-01-01", "1970-03-01", "2000-02-29", "2024-02-29", "2026-11-18"]
        );
    }

    #[test]
    fn names_break_between_words_and_show_whole_under_the_pointer() {
        assert_eq!([name("sqft_living15"), name("-0.5")], ["sqft_living15", "-0.5"]);
        assert_eq!(name("mean_temperature_2"), "mean_<wbr>temperature_<wbr>2");
        assert_eq!(name("a<b"), "a&lt;b");
        let long = name(&"measurement".repeat(8));
        assert!(long.starts_with("<span title=\"measurementmeasurement"), "{long}");
    }

    #[test]
    fn the_script_is_the_one_that_browsers_are_told_to_run() {
        const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut bytes = Sha256::digest(SCRIPT).to_vec();
        bytes.push(0);
        let letter = |bits: u32| char::from(LETTERS[(bits & 63) as usize]);
        let encoded: String = bytes
            .chunks_exact(3)
            .flat_map(|three| {
                let bits = u32::from(three[0]) << 16 | u32::from(three[1]) << 8 | u32::from(three[2]);
                [letter(bits >> 18), letter(bits >> 12), letter(bits >> 6), letter(bits)]
            })
            .collect();
        assert_eq!(SCRIPT_HASH, format!("sha256-{}=", &encoded[..43]));
    }
}
