//! Which layer wins, and what a file may not say.

use clap::{Args as _, Parser};

use super::*;
use crate::common::Common;

#[derive(Parser, Debug)]
#[command(name = "techrag-test")]
struct Args {
    #[arg(long, default_value_t = 10)]
    k: u32,
    #[arg(long)]
    flag: bool,
    #[arg(long, value_delimiter = ',')]
    list: Vec<String>,
}

fn layers(texts: &[(&str, &str)]) -> Layers {
    Layers(
        texts
            .iter()
            .map(|(path, text)| Layer { path: path.into(), table: text.parse().unwrap(), project: true })
            .collect(),
    )
}

fn listed(layers: &Layers, arguments: &[&str]) -> anyhow::Result<String> {
    let command = apply(Common::augment_args(<Args as clap::CommandFactory>::command()), layers)?;
    let matches = command.clone().try_get_matches_from(arguments)?;
    Ok(String::from_utf8(listing(&command, &matches, layers))?)
}

#[test]
fn flags_win_over_the_project_and_the_project_over_the_user() {
    let layers =
        layers(&[("project", "[test]\nk = 20\nlist = [\"a\", \"b\"]"), ("user", "[test]\nk = 30\nflag = true")]);
    let text = listed(&layers, &["techrag-test"]).unwrap();
    assert!(text.contains("k = \"20\" # project\n"), "{text}");
    assert!(text.contains("flag = \"true\" # user\n"), "{text}");
    assert!(text.contains("list = [\"a\", \"b\"] # project\n"), "{text}");
    let text = listed(&layers, &["techrag-test", "--k", "5"]).unwrap();
    assert!(text.contains("k = \"5\" # command line\n"), "{text}");
    assert!(listed(&Layers::default(), &["techrag-test"]).unwrap().contains("k = \"10\" # default\n"));
}

#[test]
fn common_options_have_a_section_of_their_own() {
    let text = listed(&layers(&[("user", "[common]\nlibrary = \"lib\"\njobs = 3")]), &["techrag-test"]).unwrap();
    assert!(text.contains("library = \"lib\" # user\n") && text.contains("jobs = \"3\" # user\n"), "{text}");
}

#[test]
fn a_misspelt_key_is_refused_by_name() {
    for text in ["[test]\nkay = 1", "[common]\nlibary = \"x\"", "[common]\nk = 1", "[common]\nprint-config = true"] {
        let error = listed(&layers(&[("file", text)]), &["techrag-test"]).unwrap_err().to_string();
        assert!(error.starts_with("file: [") && error.contains("has no option"), "{error}");
    }
    assert!(listed(&layers(&[("file", "[other-tool]\nx = 1")]), &["techrag-test"]).is_ok());
}

#[test]
fn a_value_of_the_wrong_type_is_an_error() {
    assert!(listed(&layers(&[("file", "[test]\nk = 2024-01-01")]), &["techrag-test"]).is_err());
    assert!(listed(&layers(&[("file", "[test]\nk = \"many\"")]), &["techrag-test"]).is_err());
}
