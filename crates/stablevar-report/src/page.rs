//! What every page is made of.

use crate::text::escape;

const STYLE: &str = include_str!("page.css");

/// A whole document; `title` is text, the sections are HTML.
pub fn document(title: &str, sections: &[String]) -> String {
    let title = escape(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>{title}</title><style>{STYLE}</style></head>\n<body><main><h1>{title}</h1>\n{}\n</main></body></html>\n",
        sections.join("\n")
    )
}

/// A table of cells that hold HTML.
pub fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let head: String = header.iter().map(|cell| format!("<th scope=\"col\">{cell}</th>")).collect();
    let body: String = rows
        .iter()
        .map(|row| format!("<tr>{}</tr>", row.iter().map(|cell| format!("<td>{cell}</td>")).collect::<String>()))
        .collect();
    format!(
        "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )
}

/// A picture with a caption that is text.
pub fn captioned(picture: &str, caption: &str) -> String {
    format!("<figure>{picture}<figcaption>{}</figcaption></figure>", escape(caption))
}
