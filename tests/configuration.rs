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
