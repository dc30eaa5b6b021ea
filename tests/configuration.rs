//! Where a setting comes from, and who wins: flags, environment, project file, user file.

use crate::harness::Place;

/// The line of `--print-config` about an option.
fn setting(place: &Place, arguments: &[&str], environment: &[(&str, &str)], option: &str) -> String {
    let arguments = [arguments, &["--print-config"]].concat();
    let said = place.run_with("techrag-chunk", &arguments, environment, "").ok();
    let line = said.stdout.lines().find(|line| line.trim_start_matches("# ").starts_with(option));
    line.unwrap_or_else(|| panic!("no {option}: {said}")).to_owned()
}

#[test]
fn a_flag_beats_the_environment_beats_the_project_beats_the_user() {
    let place = Place::new();
    assert_eq!(setting(&place, &[], &[], "library"), "# library is not set");
    let user = place.file(".config/techrag/techrag.toml", "[common]\nlibrary = \"of the user\"\n");
    assert_eq!(setting(&place, &[], &[], "library"), format!("library = \"of the user\" # {}", user.display()));
    let project = place.file("techrag.toml", "[common]\nlibrary = \"of the project\"\n");
    assert_eq!(setting(&place, &[], &[], "library"), format!("library = \"of the project\" # {}", project.display()));
    let environment = [("TECHRAG_LIBRARY", "of the shell")];
    assert_eq!(
        setting(&place, &[], &environment, "library"),
        "library = \"of the shell\" # environment TECHRAG_LIBRARY"
    );
    let flag = ["--library", "of the line"];
    assert_eq!(setting(&place, &flag, &environment, "library"), "library = \"of the line\" # command line");
}

#[test]
fn a_tools_own_options_have_their_own_section() {
    let place = Place::new();
    let file = place.file("techrag.toml", "[chunk]\ntarget = 2000\n");
    assert_eq!(setting(&place, &[], &[], "target"), format!("target = \"2000\" # {}", file.display()));
    assert_eq!(setting(&place, &[], &[], "overlap"), "overlap = \"400\" # default");
}

#[test]
fn a_misspelt_option_in_a_file_is_refused_by_name() {
    let place = Place::new();
    place.file("techrag.toml", "[chunk]\ntargte = 2000\n");
    let said = place.run("techrag-chunk", &["--print-config"], "");
    assert_eq!(said.code, 2, "{said}");
    assert!(said.stderr.contains("targte") && said.stderr.contains("target"), "{said}");
}

#[test]
fn numbers_that_no_machine_can_mean_are_usage_errors() {
    let place = Place::new();
    let huge = "18446744073709551615";
    for (tool, command, option, value) in [
        ("techrag-chunk", "", "--max-memory", "17592186044416"),
        ("techrag-chunk", "", "--max-memory", "0"),
        ("techrag-chunk", "", "--file-timeout", huge),
        ("techrag-chunk", "", "--page-timeout", "0"),
        ("techrag-chunk", "", "--ocr-timeout", "604801"),
        ("techrag-chunk", "", "--ocr-doubt", "NaN"),
        ("techrag-chunk", "", "--max-bytes", huge),
        ("techrag-chunk", "", "--max-pages", "4294967295"),
        ("techrag-chunk", "", "--target", huge),
        ("techrag-chunk", "", "--speech-memory", huge),
        ("techrag-chunk", "", "--jobs", "1000000"),
        ("techrag-embed", "", "--window-chars", "4294967295"),
        ("techrag-retrieve", "", "-k", huge),
        ("techrag-retrieve", "", "--candidates", "0"),
        ("techrag-retrieve", "", "--per-paper", "0"),
        ("techrag-retrieve", "", "--rerank-depth", huge),
        ("techrag-index", "add", "--batch", "4294967295"),
        ("techrag-index", "hnsw", "--sample", huge),
        ("techrag-graph", "expand", "--seeds", huge),
        ("techrag-graph", "expand", "--least-relevance", "inf"),
        ("techrag-graph", "context", "--relations", huge),
        ("techrag-graph", "extract", "--topics", huge),
        ("techrag-graph", "extract", "--least", "NaN"),
        ("techrag-graph", "validate", "--max-wait", huge),
        ("techrag-graph", "stats", "--store-timeout", huge),
        ("techrag-score", "", "--year", "2147483647"),
        ("techrag-score", "", "--max-usd", "-1"),
        ("techrag-score", "", "--max-prompt-tokens", huge),
        ("techrag-external", "", "--max-results", huge),
        ("techrag-external", "", "--max-wait", "1e300"),
        ("techrag-external", "", "--max-time", "-1"),
        ("techrag-answer", "assemble", "--chunks", huge),
        ("techrag-answer", "render", "--width", huge),
        ("techrag-agents", "generate", "--floor", "1.5"),
        ("techrag-agents", "generate", "--max-sentences", "0"),
        ("techrag-agents", "generate", "--images", huge),
        ("techrag-agents", "generate", "--llm-timeout", "1e300"),
        ("techrag-agents", "generate", "--max-calls", huge),
    ] {
        let option = format!("{option}={value}");
        let arguments: Vec<&str> = [command, &option].into_iter().filter(|word| !word.is_empty()).collect();
        let said = place.run(tool, &arguments, "");
        let why = ["is not in", "number too large", "is expected"].iter().any(|why| said.stderr.contains(why));
        let named = said.stderr.contains(option.split('=').next().unwrap_or_default());
        assert!(said.code == 2 && why && named, "{tool} {arguments:?}: {said}");
    }
    let said = place.run_with("techrag-chunk", &["--max-memory=64"], &[("TECHRAG_JOBS", "99999999999")], "");
    assert!(said.code == 2 && said.stderr.contains("from 1 to 1024"), "{said}");
}
