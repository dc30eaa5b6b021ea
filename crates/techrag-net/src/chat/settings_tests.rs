//! Who wins, what is refused, and which key goes where.

use super::*;

const PROJECT: Origin = Origin::Project;
const USER: Origin = Origin::User;

fn of(flags: &Flags, files: &[(&str, Origin)]) -> Result<Option<Settings>, Error> {
    let files: Vec<_> = files.iter().map(|(text, origin)| (text.parse().unwrap(), *origin)).collect();
    settings(flags, &files, |source| match source {
        KeySource::Variable(name) if name == "UNSET" => Ok(None),
        KeySource::Variable(name) => Ok(Some(format!("key-of-{name}"))),
        KeySource::File(path) => Err(format!("{}: not there", path.display())),
    })
}

fn key(files: &[(&str, Origin)]) -> Result<Option<String>, String> {
    let settings = of(&Flags::default(), files).map_err(|error| error.to_string())?.unwrap();
    Ok(settings.key.map(|key| key.reveal().to_owned()))
}

#[test]
fn nobody_is_asked_unless_a_server_is_named() {
    assert!(of(&Flags::default(), &[]).unwrap().is_none());
    assert!(of(&Flags::default(), &[("model = \"m\"", USER)]).unwrap().is_none());
}

#[test]
fn flags_win_over_the_project_over_the_user() {
    let user =
        "base_url = \"http://a/v1\"\nmodel = \"u\"\n[agents.writer]\nmodel = \"w\"\n[prices.u]\ninput = 1\noutput = 2";
    let project = "model = \"p\"\ntimeout = 5\n[agents.critic]\nmax_tokens = 9";
    let settings = of(&Flags::default(), &[(project, PROJECT), (user, USER)]).unwrap().unwrap();
    assert_eq!((settings.base_url.as_str(), settings.model.as_str()), ("http://a/v1/", "p"));
    assert_eq!(settings.timeout, Duration::from_secs(5));
    assert_eq!(settings.agents.keys().collect::<Vec<_>>(), ["critic", "writer"]);
    let flags = Flags { base_url: Some("https://b/x/".into()), model: Some("f".into()), ..Flags::default() };
    let settings = of(&flags, &[(project, PROJECT), (user, USER)]).unwrap().unwrap();
    assert_eq!((settings.base_url.as_str(), settings.model.as_str()), ("https://b/x/", "f"));
}

#[test]
fn a_key_goes_where_the_user_says() {
    let own = "base_url = \"https://a/v1\"\nmodel = \"m\"\nkey_env = \"A\"";
    assert_eq!(key(&[(own, USER)]), Ok(Some("key-of-A".into())));
    let none = "base_url = \"https://a/v1\"\nmodel = \"m\"\nkey_env = \"UNSET\"";
    assert_eq!(key(&[(none, USER)]), Ok(None));
    let listed = "[keys]\n\"https://b\" = \"B\"";
    let project = "base_url = \"https://b/v1\"\nmodel = \"m\"";
    assert_eq!(key(&[(project, PROJECT), (listed, USER)]), Ok(Some("key-of-B".into())));
    // The project repeats what the user says.
    assert_eq!(key(&[(own, PROJECT), (own, USER)]), Ok(Some("key-of-A".into())));
}

#[test]
fn a_project_may_not_send_a_key_to_a_new_host() {
    let user = "base_url = \"https://a/v1\"\nmodel = \"m\"\nkey_env = \"A\"";
    for project in [
        "base_url = \"https://evil/v1\"",
        "base_url = \"https://a:444/v1\"",
        "base_url = \"http://a/v1\"",
        "key_env = \"OTHER_SECRET\"",
        "base_url = \"https://evil/v1\"\nkey_env = \"A\"\n[keys]\n\"https://evil\" = \"A\"",
    ] {
        let error = of(&Flags::default(), &[(project, PROJECT), (user, USER)]).unwrap_err();
        assert!(error.to_string().ends_with("a project may not"), "{project}: {error}");
        assert!(error.is_fatal() && !error.to_string().contains("key-of"), "{error}");
        assert!(error.advice().unwrap().contains("[llm.keys]"));
    }
    let lonely = "base_url = \"https://evil/v1\"\nmodel = \"m\"\nkey_env = \"A\"";
    assert!(of(&Flags::default(), &[(lonely, PROJECT)]).is_err());
    // Without a key there is nothing to protect.
    assert_eq!(key(&[("base_url = \"http://127.0.0.1:1/v1\"\nmodel = \"m\"", PROJECT)]), Ok(None));
}

#[test]
fn what_makes_no_sense_is_refused_by_name() {
    let flags = |usd| Flags { base_url: Some("http://a".into()), max_usd: usd, ..Flags::default() };
    for (file, said) in [
        ("modle = \"m\"", "modle"),
        ("base_url = \"ftp://a\"\nmodel = \"m\"", "no address"),
        ("base_url = \"http://a\"", "no model named"),
        ("base_url = \"http://a\"\nmodel = \"m\"\n[agents.poet]\nmodel = \"x\"", "no agent \"poet\""),
        ("base_url = \"http://a\"\nmodel = \"m\"\n[agents.writer]\ntemperature = 3", "0 to 2"),
        ("base_url = \"http://a\"\nmodel = \"m\"\ntimeout = 0", "timeout"),
        ("base_url = \"http://a\"\nmodel = \"m\"\nkey_file = \"nowhere\"", "nowhere: not there"),
        ("base_url = \"http://a\"\nmodel = \"m\"\nmax_usd = 1", "price of m"),
        ("base_url = \"http://a\"\nmodel = \"m\"\n[prices.m]\ninput = -1\noutput = 0", "a price"),
    ] {
        let error = of(&Flags::default(), &[(file, USER)]).unwrap_err();
        assert!(error.to_string().contains(said), "{file}: {error}");
    }
    assert!(of(&flags(Some(1.0)), &[("model = \"m\"", USER)]).is_err());
}
