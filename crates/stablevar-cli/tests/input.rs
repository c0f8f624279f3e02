//! Tables as they come, from fit to prediction.

use crate::common::{Folder, read};
use std::fmt::Write;

/// 120 rows with decimal commas, money, days and a code, of which the price is made.
fn messy() -> String {
    let mut text = "id;price;area;day;code\n".to_string();
    for k in 0..120 {
        let (area, code) = ((k * 37 % 101) as f64 / 4.0, k % 3 + 1);
        let day = 1 + k * 5 % 28;
        let price = 1000.0 + 300.0 * area + 50.0 * f64::from(code == 2) + (k * 13 % 7) as f64;
        let written = |value: f64| format!("{value:.2}").replace('.', ",");
        writeln!(text, "{};{} €;{};{day:02}.03.2021;{code}", 500 + k, written(price), written(area)).unwrap();
    }
    text
}

#[test]
fn a_model_reads_new_tables_as_it_read_its_own() {
    let folder = Folder::new();
    folder.file("t.csv", messy());
    let fit = ["fit", "t.csv", "--target", "price", "--exclude", "id,day", "--category", "code", "--model", "m.json"];
    let run = folder.run(&fit).succeeds();
    for line in
        ["'price' is read as amounts of money with decimal commas", "'area' is read as numbers with decimal commas"]
    {
        assert!(run.stderr().contains(line), "{}", run.stderr());
    }
    folder.run(&["predict", "m.json", "t.csv", "--out", "all.csv"]).succeeds();
    // By itself 12,750 is twelve thousand.
    folder.file("one.csv", "area,code\n\"12,750\",2\n");
    let one = folder.run(&["predict", "m.json", "one.csv"]).succeeds().stdout();
    let predicted: f64 = one.lines().nth(1).unwrap().parse().unwrap();
    assert!((predicted - 4878.0).abs() < 20.0, "{predicted}");
    let json = folder.run(&["evaluate", "m.json", "t.csv", "--format", "json"]).succeeds().json();
    assert!(json["mean_error"].as_f64().unwrap() < 20.0, "{json}");
    assert_eq!(read(&folder.path("all.csv")).lines().count(), 121);
    folder.run(&["foresee", "m.json", "t.csv"]).succeeds();
}

#[test]
fn columns_are_chosen_by_lists_and_dates_taken_apart() {
    let folder = Folder::new();
    folder.file("t.csv", messy());
    let fit = |more: &[&str]| folder.run(&[&["fit", "t.csv", "--target", "price", "--format", "json"], more].concat());
    let json = fit(&["--columns", "area,code"]).succeeds().json();
    assert_eq!(json["features"], serde_json::json!(["area", "code"]));
    let json = fit(&["--columns", "area,day", "--date", "day=parts", "--model", "m.json"]).succeeds().json();
    // All days are of one month of one year.
    assert_eq!(json["features"], serde_json::json!(["area", "day.weekday"]));
    folder.run(&["predict", "m.json", "t.csv"]).succeeds();
    fit(&["--columns", "area,dya"]).fails_with(&["no column 'dya'", "did you mean 'day'?"]);
    fit(&["--exclude", "area,price"]).fails_with(&["target and be left out"]);
    let json = fit(&["--delimiter", ";", "--decimal", "comma"]).succeeds().json();
    assert_eq!(json["features"].as_array().unwrap().len(), 4);
}

#[test]
fn hints_list_the_columns_that_there_are() {
    let folder = Folder::new();
    folder.file("t.csv", messy());
    folder.run(&["fit", "t.csv", "--target", "price", "--exclude", "id", "--model", "m.json"]).succeeds();
    folder
        .run(&["evaluate", "m.json", "t.csv", "--env", "period"])
        .fails_with(&["no column 'period'", "'day', 'code'"]);
    folder.run(&["evaluate", "m.json", "t.csv", "--target", "prices"]).fails_with(&["did you mean 'price'?"]);
    folder.run(&["fit", "t.csv", "--target", "cost"]).fails_with(&["'price', 'area', 'day'"]);
    folder.file("book.xlsx", b"PK\x03\x04 and so on");
    folder.run(&["fit", "book.xlsx", "--target", "y"]).fails_with(&["spreadsheet", "read_excel"]);
    folder
        .run(&["fit", "m.json", "--target", "y"])
        .fails_with(&["a model that was fitted, not a table", "name the table"]);
    folder.file("page.csv", "<!DOCTYPE html><html><body>1,2</body></html>");
    folder.run(&["fit", "page.csv", "--target", "y"]).fails_with(&["a web page", "read_html"]);
}

#[test]
fn hints_name_what_helps() {
    let folder = Folder::new();
    folder.file("t.csv", messy());
    folder.run(&["fit", "t.csv", "--target", "price", "--delimiter", ","]).fails_with(&[
        "where the header has 1",
        "the header looks separated by ';'",
        "--delimiter ';'",
    ]);
    folder.run(&["fit", "t.csv", "--target", "price", "--exclude", "id", "--model", "m.json"]).succeeds();
    folder.file("other.csv", "colour,weight\nred,3\n");
    folder.run(&["predict", "m.json", "other.csv"]).fails_with(&[
        "no column 'area'",
        "the columns are: 'colour', 'weight'",
        "the model was fitted on: 'area'",
    ]);
    folder.file("gap.csv", "area;code;day\n;1;01.03.2021\n12,5;2;02.03.2021\n");
    let gap = folder.run(&["predict", "m.json", "gap.csv"]).fails_with(&["missing values", "--missing mean"]);
    assert!(!gap.stderr().contains("--exclude"), "{}", gap.stderr());
    let spaced = messy().replacen("area", "living area", 1);
    folder.file("spaced.csv", &spaced);
    let run = folder.run(&["fit", "spaced.csv", "--target", "price"]).succeeds();
    assert!(run.stderr().contains("--category 'living area' keeps its texts"), "{}", run.stderr());
    folder.file("bytes.csv", b"a,y\n\x80,1\n");
    folder.run(&["fit", "bytes.csv", "--target", "y"]).fails_with(&["not UTF-8", "iconv -f CP1252"]);
}

#[test]
fn rows_without_an_outcome_are_left_out_and_told() {
    let folder = Folder::new();
    folder.file("t.csv", messy().replacen("1000,00 €", "", 1));
    let fit = ["fit", "t.csv", "--target", "price", "--exclude", "id", "--missing", "mean"];
    let told = folder.run(&fit).succeeds().stderr();
    assert!(told.contains("1 of 120 rows are left out for missing values ('price' (1))"), "{told}");
    assert!(told.contains("but for the target, weights and environments they can be filled in"), "{told}");
}

#[test]
fn evaluate_leaves_out_rows_without_an_outcome_and_counts_them() {
    let folder = Folder::new();
    folder.file("t.csv", messy());
    folder.run(&["fit", "t.csv", "--target", "price", "--columns", "area,code", "--model", "m.json"]).succeeds();
    let evaluate =
        |file: &str| folder.run(&["evaluate", "m.json", "m.json", file, "--env", "code", "--format", "json"]);
    let whole = evaluate("t.csv").succeeds().json();
    assert_eq!(whole["rows_without_outcome"], 0);
    // The rows that stay are those of the whole table, whatever else the others lack.
    let (mut lines, mut fewer): (Vec<String>, Vec<String>) = (messy().lines().map(String::from).collect(), Vec::new());
    for (k, line) in lines.iter_mut().enumerate() {
        if k % 10 != 7 {
            fewer.push(line.clone());
            continue;
        }
        let mut fields: Vec<&str> = line.split(';').collect();
        (fields[1], fields[2]) = (["", "n/a"][k % 2], "");
        *line = fields.join(";");
    }
    folder.file("gaps.csv", lines.join("\n"));
    folder.file("fewer.csv", fewer.join("\n"));
    let run = evaluate("gaps.csv").succeeds();
    let told = "gaps.csv: 12 of 120 rows are left out: they have no outcome ('price')";
    assert_eq!(run.stderr().matches(told).count(), 1, "{}", run.stderr());
    let (gaps, fewer) = (run.json(), evaluate("fewer.csv").succeeds().json());
    assert_eq!((&gaps["environments"], &gaps["rows_without_outcome"]), (&fewer["environments"], &12.into()));
    // A fault is told with its place in the whole file.
    folder.file("inf.csv", "price;area;code\n;1,5;1\n1;inf;1\n2;2,5;1\n");
    folder.run(&["evaluate", "m.json", "inf.csv"]).fails_with(&["row 2", "'area'"]);
    folder.file("none.csv", "price;area;code\n;1,5;1\n;2,5;1\n");
    folder.run(&["evaluate", "m.json", "none.csv"]).fails_with(&["no row has an outcome: 'price' is empty in all 2"]);
    folder.run(&["report", "m.json", "--evaluate", "gaps.csv", "--out", "r.html"]).succeeds();
}

#[test]
fn what_is_missing_is_so_in_any_letters_and_doubtful_words_are_told() {
    let folder = Folder::new();
    let row = |k: usize| {
        let area = match k % 12 {
            5 => ["n/a", "Null", "-", "none"][k / 12 % 4].to_string(),
            _ => format!("{}", (k * 37) % 101),
        };
        let alley = if k % 9 == 4 { "NA" } else { ["none", "grave", "paved"][k % 3] };
        format!("{area},{alley},{}\n", (k * 37) % 101 * 3 + 20 * (k % 3) + (k * 13) % 7)
    };
    folder.file("t.csv", format!("area,alley,y\n{}", (0..240).map(row).collect::<String>()));
    let run = folder.run(&["fit", "t.csv", "--target", "y", "--missing", "mean", "--model", "m.json"]).succeeds();
    let told = run.stderr();
    assert!(told.contains("'area': '-' among numbers is read as missing (10 values)"), "{told}");
    assert!(told.contains("'NA' in 'alley' is read as a missing value"), "{told}");
    assert!(!told.contains("'none' in 'alley'"), "{told}");
    // In a column of texts a word is a value: none is a level, and NA is no new one.
    let levels = read(&folder.path("m.json"));
    assert!(levels.contains("\"none\"") && !levels.contains("\"-\""), "{levels}");
    let foreseen = folder.run(&["foresee", "m.json", "t.csv"]).succeeds();
    assert!(!foreseen.stderr().contains("levels that training did not have"), "{}", foreseen.stderr());
    let kept = ["fit", "t.csv", "--target", "y", "--missing", "mean", "--category", "area", "--format", "json"];
    assert!(!folder.run(&kept).stderr().contains("among numbers"));
}

#[test]
fn text_in_utf_16_is_called_so() {
    let folder = Folder::new();
    let bytes: Vec<u8> = "\u{feff}a,y\n1,2\n3,4\n".encode_utf16().flat_map(|unit| unit.to_le_bytes()).collect();
    folder.file("t.csv", bytes);
    folder.run(&["fit", "t.csv", "--target", "y"]).fails_with(&["UTF-16", "iconv -f UTF-16"]);
}

#[test]
fn numbers_among_texts_are_read_where_that_is_asked_for() {
    let folder = Folder::new();
    let mut text = "size,rooms,y\n".to_string();
    for k in 0..90 {
        let size = 20 + k * 37 % 61;
        let unit = if k % 9 == 0 { " m2" } else { "" };
        let rooms = if k % 11 == 0 { "many".to_string() } else { (1 + k % 4).to_string() };
        writeln!(text, "{size}{unit},{rooms},{}", 3 * size + k % 5).unwrap();
    }
    folder.file("t.csv", text);
    folder.run(&["fit", "t.csv", "--target", "y"]).fails_with(&["m2' is not a number", "--number size"]);
    let fit = |numbers: &[&str]| {
        let given = ["fit", "t.csv", "--target", "y", "--missing", "mean", "--format", "json"];
        folder.run(&[&given[..], numbers].concat()).succeeds().json()
    };
    let both = fit(&["--number", "size,rooms"]);
    assert_eq!(both["features"], serde_json::json!(["size", "rooms"]));
    assert_eq!(both["coefficients"], fit(&["--number", "size", "--number", "rooms"])["coefficients"]);
    // A model knows how it read its table, also where it reads others.
    fit(&["--number", "size,rooms", "--model", "m.json"]);
    for command in
        [vec!["foresee", "m.json", "t.csv"], vec!["report", "m.json", "--training", "t.csv", "--out", "r.html"]]
    {
        folder.run(&command).succeeds();
    }
    folder.run(&["reselect", "m.json", "--data", "t.csv", "--select", "1"]).succeeds();
}

#[test]
fn one_currency_in_two_spellings_is_one_and_two_are_text() {
    let folder = Folder::new();
    let table = |other: &str| {
        let price = |k: usize| if k.is_multiple_of(2) { format!("€{k}.50") } else { format!("{k}.00 {other}") };
        (0..60).fold("fee,y\n".to_string(), |text, k| text + &format!("{},{}\n", price(k), 2 * k + k % 3))
    };
    folder.file("one.csv", table("EUR"));
    let run = folder.run(&["fit", "one.csv", "--target", "y", "--model", "m.json"]).succeeds();
    assert!(run.stderr().contains("'fee' is read as amounts of money"), "{}", run.stderr());
    folder.run(&["predict", "m.json", "one.csv"]).succeeds();
    folder.file("two.csv", table("USD"));
    let run = folder.run(&["fit", "two.csv", "--target", "y", "--number", "fee", "--format", "json"]).succeeds();
    assert_eq!(run.json()["selected"], serde_json::json!(["fee"]));
}

#[test]
fn the_date_that_is_not_like_the_others_is_named() {
    let folder = Folder::new();
    let day = |k: usize| if k == 40 { "22/11/2021".to_string() } else { format!("2023-08-{:02}", 1 + k % 28) };
    let text = (0..60).fold("day,a,y\n".to_string(), |text, k| text + &format!("{},{},{}\n", day(k), k % 7, k % 5));
    folder.file("t.csv", text);
    folder.run(&["fit", "t.csv", "--target", "y", "--date", "day"]).fails_with(&["'22/11/2021' is not one"]);
}
