//! What every tool does: help with examples, a version, schemas, completions, a man page, exit codes, `| head -1`.

use insta::assert_snapshot;

use crate::harness::{Place, TOOLS};

/// Subcommands a tool's help lists.
fn subcommands(help: &str) -> Vec<String> {
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let first = |line: &str| line.strip_prefix("  ")?.split_whitespace().next().map(str::to_owned);
    listed.filter(|line| !line.starts_with("   ")).filter_map(first).collect()
}

#[test]
fn every_help_has_examples() {
    let place = Place::new();
    for (tool, _) in TOOLS {
        let help = place.run(tool, &["--help"], "").ok().stdout;
        let mut helps = vec![(tool.to_string(), help.clone())];
        for command in subcommands(&help) {
            helps.push((format!("{tool} {command}"), place.run(tool, &[&command, "--help"], "").ok().stdout));
        }
        for (name, help) in helps {
            assert!(help.contains("Examples:"), "{name} --help has no examples:\n{help}");
            assert!(help.contains(tool), "{name} --help does not name the tool:\n{help}");
        }
    }
}

#[test]
fn the_chunker_s_version_says_which_licence_the_build_is_under() {
    let said = Place::new().run("techrag-chunk", &["--version"], "").ok().stdout;
    let build = if cfg!(feature = "mupdf") { "with MuPDF, AGPL-3.0" } else { "without MuPDF, MIT OR Apache-2.0" };
    assert_eq!(said, format!("techrag-chunk {} ({build})\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn every_tool_knows_its_version_and_the_records() {
    let place = Place::new();
    let version = env!("CARGO_PKG_VERSION");
    for (tool, _) in TOOLS {
        let said = place.run(tool, &["--version"], "").ok();
        assert!(said.stdout.starts_with(&format!("{tool} {version}")), "{said}");
        for (option, holds) in [("--schema", "\"query\""), ("--man", ".TH"), ("--completions=bash", "complete")] {
            let said = place.run(tool, &[option], "").ok();
            assert!(said.stdout.contains(holds) && said.stderr.is_empty(), "{tool} {option}: {said}");
        }
    }
}

#[test]
fn a_usage_error_is_two_and_leaves_stdout_alone() {
    let place = Place::new();
    for (tool, _) in TOOLS {
        let said = place.run(tool, &["--no-such-option"], "");
        assert!(said.code == 2 && said.stdout.is_empty() && said.stderr.contains("--no-such-option"), "{tool}: {said}");
    }
}

#[test]
fn a_missing_library_is_named_with_what_to_do() {
    assert_snapshot!(Place::new().run("techrag-index", &["status"], ""), @r"
    exit 2
    --- stdout
    --- stderr
    error: no library given
    hint: say --library DIR, set TECHRAG_LIBRARY, or write it in techrag.toml
    ");
}

#[test]
fn a_missing_model_is_named_with_the_command_that_brings_it() {
    let place = Place::new();
    let chunk = r#"{"type":"chunk","v":1,"uid":"d:0","doc_id":"d","text":"tyre","sha1":"","by":"t"}"#;
    let models = place.path().join("none");
    let said = place.run_with("techrag-embed", &[], &[("TECHRAG_MODELS", models.to_str().expect("UTF-8"))], chunk);
    assert_eq!(said.code, 2, "{said}");
    assert!(said.stdout.is_empty() && said.stderr.contains("make models"), "{said}");
}

#[test]
fn records_that_nobody_needs_load_no_model() {
    let place = Place::new();
    let line = r#"{"type":"removed","v":1,"doc_id":"d","key":"k","by":"t"}"#;
    let said = place.run_with("techrag-embed", &[], &[("TECHRAG_MODELS", "/nowhere")], line).ok();
    assert_eq!(said.stdout, format!("{line}\n"));
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let place = Place::new();
    let corpus: String =
        (0..3000).map(|i| format!("{{\"_id\":\"{i}\",\"title\":\"t\",\"text\":\"words number {i}\"}}\n")).collect();
    place.file("corpus.jsonl", &corpus);
    let questions: String = (0..3000).map(|i| format!("why is {i}?\n")).collect();
    place.file("questions.txt", &questions);
    for command in ["techrag-chunk --from jsonl corpus.jsonl", "techrag-agents route <questions.txt"] {
        let said = place.shell(&format!("{command} | head -1; echo codes ${{PIPESTATUS[*]}}"));
        assert_eq!(said.stdout.lines().last(), Some("codes 0 0"), "{command}: {said}");
        assert!(said.stdout.lines().count() == 2 && said.stderr.is_empty(), "{command}: {said}");
    }
}

#[test]
fn an_output_file_appears_whole_or_not_at_all() {
    let place = Place::new();
    let target = place.file("out.jsonl", "before");
    let content = || std::fs::read_to_string(&target).expect("the file is there");
    let arguments = ["route", "-o", "out.jsonl"];
    let future = r#"{"type":"query","v":9,"question":"?"}"#;
    let said = place.run("techrag-agents", &arguments, &format!("why?\n{future}\n"));
    assert_eq!((said.code, content().as_str()), (2, "before"), "{said}");
    let said = place.run("techrag-agents", &arguments, "why?\n").ok();
    assert!(said.stdout.is_empty() && content().starts_with(r#"{"type":"query","v":1,"#), "{said}");
    let left: Vec<_> =
        std::fs::read_dir(place.path()).expect("the folder").flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(left, ["out.jsonl"]);
}
