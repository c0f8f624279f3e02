//! What every page is made of.

use crate::text::escape;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// The one script that a page may run; whatever else found its way in, a browser refuses. A test holds it to the script.
const SCRIPT_HASH: &str = "sha256-N9Hy/P+N1WOrGL9nilOfZQldfNAi6bjA+W7c6ld1az8=";

/// A document of sections that are HTML; `title` is text. Nothing in it moves.
pub fn document(title: &str, sections: &[String]) -> String {
    whole(title, "default-src 'none'; style-src 'unsafe-inline'", sections, "")
}

/// A document whose tables can be sorted and whose sliders slide.
pub fn moving_document(title: &str, sections: &[String]) -> String {
    let allowed = format!("default-src 'none'; style-src 'unsafe-inline'; script-src '{SCRIPT_HASH}'");
    whole(title, &allowed, sections, &format!("<script>{SCRIPT}</script>"))
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

/// A picture with a caption that is text.
pub fn captioned(picture: &str, caption: &str) -> String {
    format!("<figure>{picture}<figcaption>{}</figcaption></figure>", escape(caption))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::{Digest, Sha256};

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
