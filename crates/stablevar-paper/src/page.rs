//! All results on one page, and as Markdown for the docs.

use crate::claims::Claim;
use crate::experiment::Experiment;
use crate::figures::Figure;
use crate::real::RealTable;
use crate::table::ResultTable;
use stablevar_report::page::{captioned, document, table};
use stablevar_report::text::escape;

/// Everything that one command made.
#[derive(Debug, Default)]
pub struct Results {
    /// The command.
    pub command: String,
    /// Jobs at a time.
    pub jobs: usize,
    /// Runs per cell.
    pub seeds: u64,
    /// Experiments with their tables.
    pub tables: Vec<(Experiment, ResultTable)>,
    /// Real data.
    pub real: Vec<RealTable>,
    /// Figures.
    pub figures: Vec<Figure>,
    /// What the numbers say.
    pub claims: Vec<Claim>,
    /// What could not be made, and why.
    pub missing: Vec<String>,
}

/// Where our results differ from the paper's, and why.
const DIFFERENCES: &str = include_str!("../data/differences.md");

impl Results {
    fn made_by(&self) -> Vec<(&'static str, String)> {
        vec![
            ("command", self.command.clone()),
            ("runs per cell", format!("{} (seeds 0 to {})", self.seeds, self.seeds.saturating_sub(1))),
            ("version", format!("stablevar {}", env!("CARGO_PKG_VERSION"))),
            (
                "machine",
                format!(
                    "{} on {}, {} cores, {} jobs at a time",
                    std::env::consts::OS,
                    std::env::consts::ARCH,
                    std::thread::available_parallelism().map_or(0, usize::from),
                    self.jobs
                ),
            ),
            ("time", format!("the tables' fits took {:.0} minutes of one core", self.core_seconds() / 60.0)),
        ]
    }

    /// What all fits behind the tables took, now or in earlier runs.
    fn core_seconds(&self) -> f64 {
        let simulated =
            self.tables.iter().flat_map(|(_, table)| &table.rows).map(|row| row.seconds * self.seeds as f64);
        simulated.chain(self.real.iter().flat_map(|table| &table.rows).map(|row| row.seconds)).sum()
    }

    /// For the docs; pictures are looked for in the folder `figures` beside it.
    pub fn markdown(&self) -> String {
        let mut text = String::from("# The paper's experiments, ours beside the paper's\n\n| | |\n|---|---|\n");
        for (name, value) in self.made_by() {
            text += &format!("| {name} | {} |\n", if name == "command" { format!("`{value}`") } else { value });
        }
        text += "\n<!-- figures: results -->\nThis page is made by that command. The oracle is the same model on the true stable variables, which nobody \
                 knows in practice; excess removed is 1 - (method - oracle) / (baseline - oracle) in mean error.\n\n\
                 ## What the numbers say\n\n| claim | holds | numbers |\n|---|---|---|\n";
        for claim in &self.claims {
            let holds = if claim.holds { "yes" } else { "**no**" };
            let cell = |text: &str| text.replace("||", "\\|\\|");
            text += &format!("| {} | {holds} | {} |\n", cell(&claim.claim), cell(&claim.detail));
        }
        self.missing.iter().for_each(|missing| text += &format!("\nNot made: {missing}\n"));
        text += "\n";
        self.tables.iter().for_each(|(_, table)| text += &format!("{}\n", table.markdown()));
        self.real.iter().for_each(|table| text += &format!("{}\n", table.markdown()));
        text += "## Figures\n\n";
        for figure in &self.figures {
            text += &format!(
                "![{}](figures/{}.svg)\n\n*{}* {} ([numbers](figures/{}.csv))\n\n",
                figure.name,
                figure.name,
                beside(figure),
                figure.caption.replace("||", "\\|\\|"),
                figure.name
            );
        }
        text + DIFFERENCES
    }

    /// One page with everything in it.
    pub fn html(&self) -> String {
        let made_by: Vec<Vec<String>> =
            self.made_by().iter().map(|(name, value)| vec![escape(name), escape(value)]).collect();
        let claims: Vec<Vec<String>> = self
            .claims
            .iter()
            .map(|claim| {
                let holds = if claim.holds { "yes" } else { "<strong>no</strong>" };
                vec![escape(&claim.claim), holds.into(), escape(&claim.detail)]
            })
            .collect();
        let missing: String = self
            .missing
            .iter()
            .map(|missing| format!("<p><strong>Not made:</strong> {}</p>", escape(missing)))
            .collect();
        let mut sections = vec![
            format!("<section class=\"prose\">{}</section>", table(&["made by", ""], &made_by)),
            format!(
                "<section class=\"prose\"><h2>What the numbers say</h2>{missing}{}</section>",
                table(&["claim", "holds", "numbers"], &claims)
            ),
        ];
        sections.extend(self.tables.iter().map(|(_, table)| from_markdown(&table.markdown())));
        sections.extend(self.real.iter().map(|table| from_markdown(&table.markdown())));
        let figures: String = self
            .figures
            .iter()
            .map(|figure| captioned(&figure.svg, &format!("{} {}", beside(figure), figure.caption)))
            .collect();
        sections.push(format!("<section><h2>Figures</h2>{figures}</section>"));
        sections.push(from_markdown(DIFFERENCES));
        sections.push(self.settings());
        document("The paper's experiments, ours beside the paper's", &sections)
    }

    /// Every method with its parameters.
    fn settings(&self) -> String {
        let methods = self.tables.iter().flat_map(|(experiment, _)| {
            experiment.contenders.iter().map(|contender| {
                let settings = serde_json::to_string_pretty(&contender.method).unwrap_or_default();
                let text: Vec<String> = settings.lines().map(escape).collect();
                let name = escape(&format!("{}: {}", experiment.name, contender.name));
                format!("<details><summary>{name}</summary><pre>{}</pre></details>", text.join("\n"))
            })
        });
        format!("<section><h2>Settings</h2>{}</section>", methods.collect::<String>())
    }
}

fn beside(figure: &Figure) -> String {
    format!("Beside the paper's {}.", figure.paper)
}

/// The little Markdown that our tables and texts are written in: headings, tables, lists and paragraphs with `code`.
fn from_markdown(text: &str) -> String {
    let mut html = String::from("<section>");
    for block in text.split("\n\n").map(str::trim).filter(|block| !block.is_empty()) {
        let lines: Vec<&str> = block.lines().collect();
        html += &if let Some(heading) = block.strip_prefix("## ") {
            format!("<h2>{}</h2>", escape(heading))
        } else if lines.len() > 1 && lines[1].starts_with("|---") {
            let cells = |line: &str| -> Vec<String> {
                line.trim().trim_matches('|').split('|').map(|cell| with_code(cell.trim())).collect()
            };
            let header = cells(lines[0]);
            let header: Vec<&str> = header.iter().map(String::as_str).collect();
            table(&header, &lines[2..].iter().map(|line| cells(line)).collect::<Vec<_>>())
        } else if let Some(items) = block.strip_prefix("- ") {
            // A line that does not begin an item goes on with the one before.
            let items = items.split("\n- ").map(|item| format!("<li>{}</li>", with_code(item)));
            format!("<ul>{}</ul>", items.collect::<String>())
        } else {
            format!("<p>{}</p>", with_code(block))
        };
    }
    html + "</section>"
}

/// Escaped text in which what stands between backticks is code.
fn with_code(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let shown =
        parts.map(|(k, part)| if k % 2 == 1 { format!("<code>{}</code>", escape(part)) } else { escaped_lines(part) });
    shown.collect()
}

fn escaped_lines(text: &str) -> String {
    text.split('\n').map(escape).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::BASELINES;

    #[test]
    fn our_markdown_becomes_html() {
        let html =
            from_markdown("## A <b>\n\n| a | b |\n|---|---|\n| 1 | `x < y` |\n\n- one\n  more\n- two\n\nText.\n");
        assert!(html.contains("<h2>A &lt;b&gt;</h2>") && html.contains("<td><code>x &lt; y</code></td>"), "{html}");
        assert!(html.contains("<li>one   more</li><li>two</li>") && html.contains("<p>Text.</p>"), "{html}");
    }

    #[test]
    fn the_differences_name_every_baseline() {
        for baseline in BASELINES {
            assert!(DIFFERENCES.contains(baseline), "{baseline}");
        }
    }
}
