//! What a user names as the graph: an address is taken or refused by its form, and never repeated with a password.

/// Whether an address has a scheme the driver speaks and a host, and no user or password in it: those come from the
/// environment, and an address stands in every record.
pub fn is_server(address: &str) -> bool {
    let scheme = |scheme: &str| matches!(scheme, "bolt" | "bolt+s" | "bolt+ssc" | "neo4j" | "neo4j+s" | "neo4j+ssc");
    url::Url::parse(address).is_ok_and(|url| {
        let plain = url.username().is_empty() && url.password().is_none();
        scheme(url.scheme()) && url.host_str().is_some_and(|host| !host.is_empty()) && plain
    })
}

/// An address without anything before its last `@`, for a message: a password may stand there, scheme or not.
pub fn without_user(address: &str) -> String {
    address.rsplit_once('@').map_or_else(|| address.to_owned(), |(_, host)| format!("…@{host}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_has_a_scheme_of_the_driver_and_a_host_and_no_user() {
        for good in ["bolt://localhost:7687", "neo4j+s://graph.example"] {
            assert!(is_server(good), "{good}");
        }
        for bad in ["embedded", "localhost:7687", "https://graph.example", "bolt://", "bolt://ada:secret@host"] {
            assert!(!is_server(bad), "{bad}");
        }
    }

    #[test]
    fn a_password_is_never_repeated() {
        for address in ["bolt://ada:secret@host:1", "ada:secret@host:1", "bolt://ada:se@cret@host:1"] {
            assert_eq!(without_user(address), "…@host:1", "{address}");
        }
        assert_eq!(without_user("host:1"), "host:1");
    }
}
