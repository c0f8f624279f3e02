//! Draws the figures of a folder again from the numbers beside them: `cargo run --example redraw -p stablevar-paper -- docs/figures`.

use stablevar_paper::redraw::redrawn;
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("which folder?")?;
    for entry in std::fs::read_dir(&folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "svg") {
            redraw(&path)?;
        }
    }
    Ok(())
}

/// The caption stands in the picture that is there.
fn redraw(path: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let Ok(numbers) = std::fs::read_to_string(path.with_extension("csv")) else { return Ok(()) };
    let old = std::fs::read_to_string(path)?;
    let caption = old.split("aria-label=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default();
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    if let Some(svg) = redrawn(&name, &caption.replace("&#39;", "'").replace("&amp;", "&"), &numbers)? {
        std::fs::write(path, svg)?;
    }
    Ok(())
}
