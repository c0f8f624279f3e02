//! The top-level modules of the crate build on each other without cycles: each can be read after those it uses.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The modules that each module uses.
type Graph = BTreeMap<String, BTreeSet<String>>;

#[test]
fn no_module_uses_one_that_uses_it() {
    let graph = graph_of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    // The reader of sources sees something.
    for (module, used) in [("rows", "linalg"), ("error", "wording"), ("fit", "method"), ("estimator", "fit")] {
        assert!(graph[module].contains(used), "{module} and {used}: {graph:?}");
    }
    if let Some(cycle) = find_cycle(&graph) {
        panic!("modules that use each other: {}", cycle.join(" -> "));
    }
}

#[test]
fn cycles_are_found_and_named() {
    let graph = |edges: &[(&str, &str)]| {
        let mut graph = Graph::new();
        for (from, to) in edges {
            graph.entry(from.to_string()).or_default().insert(to.to_string());
            graph.entry(to.to_string()).or_default();
        }
        graph
    };
    assert_eq!(find_cycle(&graph(&[("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])), None);
    let cycle = find_cycle(&graph(&[("a", "b"), ("b", "c"), ("c", "d"), ("d", "b"), ("a", "e")]));
    assert_eq!(cycle, Some(["b", "c", "d", "b"].map(String::from).to_vec()));
}

#[test]
fn uses_are_read_from_code_and_not_from_comments_or_tests() {
    let source = r#"
        //! Unlike [`crate::fit`].
        use crate::linalg::{Matrix, dot};
        use crate::{error::Result, rows::{TILE, tiles}, table};
        /* crate::svi */
        pub(crate) fn f() -> crate::optim::StopReason { g("// no comment", '"') } // crate::gates
        #[cfg(test)]
        mod tests {
            use crate::simulate::World;
            fn brace() -> char { '}' }
        }
        fn after(weights: &crate::weights::SampleWeights) -> super::super::parameter::Positive {}
        use super::sibling;
    "#;
    let expected = ["error", "linalg", "optim", "parameter", "rows", "table", "weights"].map(String::from);
    assert_eq!(used_modules(source, 1), expected.into_iter().collect());
}

/// The graph of the modules in a folder of sources, but for the crate's root, which names them all.
fn graph_of(folder: &Path) -> Graph {
    let mut graph = Graph::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if name != "lib" {
            let mut used = BTreeSet::new();
            collect(&path, 0, &mut used);
            used.remove(&name);
            graph.insert(name, used);
        }
    }
    let names: BTreeSet<String> = graph.keys().cloned().collect();
    for used in graph.values() {
        assert!(used.is_subset(&names), "{:?} are no modules", used.difference(&names));
    }
    graph
}

/// What the files of a module use; `folders` counts those around the file.
fn collect(path: &Path, folders: usize, used: &mut BTreeSet<String>) {
    if path.is_dir() {
        fs::read_dir(path).unwrap().for_each(|entry| collect(&entry.unwrap().path(), folders + 1, used));
    } else {
        // A folder's `mod.rs` is the module that the folder is.
        let depth = folders - usize::from(path.ends_with("mod.rs"));
        used.extend(used_modules(&fs::read_to_string(path).unwrap(), depth));
    }
}

/// The names that stand in a source behind the crate's root; `depth` counts the modules between that and the source's own.
fn used_modules(source: &str, depth: usize) -> BTreeSet<String> {
    let code = without_tests(&without_comments_and_texts(source));
    let upwards = "super::".repeat(depth + 1);
    let mut used = BTreeSet::new();
    let behind = |root: &str| code.match_indices(root).map(|(at, root)| at + root.len()).collect::<Vec<_>>();
    for at in behind("crate::").into_iter().chain(behind(&upwards)) {
        let rest = &code[at..];
        match rest.strip_prefix('{') {
            None => used.extend(first_name(rest)),
            Some(group) => {
                // The first name of every part of a group, whose own groups may have parts too.
                let (mut depth, mut part) = (0, 0);
                for (place, character) in group.char_indices() {
                    match character {
                        '{' => depth += 1,
                        '}' if depth > 0 => depth -= 1,
                        ',' | '}' if depth == 0 => {
                            used.extend(first_name(group[part..place].trim()));
                            part = place + 1;
                            if character == '}' {
                                break;
                            }
                        }
                        _ => {}
                    }
                }
            }
        }
    }
    used
}

fn first_name(text: &str) -> Option<String> {
    let name: String = text.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    (!name.is_empty()).then_some(name)
}

/// A source in which comments, texts and characters are blank: braces that are left are those of the code.
fn without_comments_and_texts(source: &str) -> String {
    let mut code = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if rest.starts_with("r#\"") {
            rest.find("\"#").map_or(rest.len(), |end| end + 2)
        } else if first == '"' {
            quoted_length(rest)
        } else if first == '\'' && is_character(rest) {
            // Not a lifetime.
            quoted_length(rest)
        } else {
            code.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        };
        code.push(' ');
        rest = &rest[length..];
    }
    code
}

fn is_character(text: &str) -> bool {
    let mut characters = text.chars().skip(1);
    match characters.next() {
        Some('\\') => true,
        _ => characters.next() == Some('\''),
    }
}

/// Up to the next quote of the kind the text begins with that is not escaped.
fn quoted_length(text: &str) -> usize {
    let quote = text.chars().next();
    let mut escaped = false;
    for (place, character) in text.char_indices().skip(1) {
        if escaped {
            escaped = false;
        } else if character == '\\' {
            escaped = true;
        } else if Some(character) == quote {
            return place + 1;
        }
    }
    text.len()
}

/// Code without its modules of tests.
fn without_tests(code: &str) -> String {
    let mut kept = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(start) = rest.find("#[cfg(test)]") {
        kept.push_str(&rest[..start]);
        let (mut depth, mut end) = (0, rest.len());
        for (place, character) in rest[start..].char_indices() {
            match character {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => continue,
            }
            if depth == 0 {
                end = start + place + 1;
                break;
            }
        }
        rest = &rest[end..];
    }
    kept + rest
}

/// A cycle, its first module repeated at its end; `None` if there is none.
fn find_cycle(graph: &Graph) -> Option<Vec<String>> {
    let mut done = BTreeSet::new();
    graph.keys().find_map(|module| cycle_from(graph, module, &mut Vec::new(), &mut done))
}

fn cycle_from<'a>(
    graph: &'a Graph,
    module: &'a str,
    path: &mut Vec<&'a str>,
    done: &mut BTreeSet<&'a str>,
) -> Option<Vec<String>> {
    if let Some(start) = path.iter().position(|earlier| *earlier == module) {
        return Some(path[start..].iter().chain([&module]).map(|name| name.to_string()).collect());
    }
    if done.contains(module) {
        return None;
    }
    path.push(module);
    let found = graph.get(module).and_then(|used| used.iter().find_map(|next| cycle_from(graph, next, path, done)));
    path.pop();
    done.insert(module);
    found
}
