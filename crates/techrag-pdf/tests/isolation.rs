//! Workers that crash, hang and eat memory: each costs one page, and no zombie is left.
//!
//! Without the usual harness, since this executable is its own worker: started with the hidden argument it serves, and
//! with a second one it misbehaves when a certain page goes out.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use techrag_pdf::{Config, Error, Outcome, Pdf, worker};

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if args.get(1).is_some_and(|arg| arg == worker::ARGUMENT) {
        let output = Saboteur { fault: args.get(2).cloned().unwrap_or_default(), output: io::stdout().lock() };
        worker::serve(io::stdin().lock(), output).expect("the pipe holds");
        return;
    }
    let cases: [(&str, fn()); 7] = [
        ("reads_like_in_process", reads_like_in_process),
        ("a_crash_costs_one_page", a_crash_costs_one_page),
        ("a_hang_costs_one_page", a_hang_costs_one_page),
        ("a_greedy_page_is_cut_off", a_greedy_page_is_cut_off),
        ("a_file_out_of_time_keeps_its_pages", a_file_out_of_time_keeps_its_pages),
        ("many_threads_share_the_pool", many_threads_share_the_pool),
        ("errors_travel", errors_travel),
    ];
    for (name, case) in cases {
        case();
        writeln!(io::stdout(), "test {name} ... ok").expect("stdout is open");
    }
    assert_eq!(zombies(), 0, "zombies are left");
}

/// Passes frames on until the page of its fault.
struct Saboteur<W> {
    fault: String,
    output: W,
}

impl<W: Write> Write for Saboteur<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let page3 = bytes.windows(11).any(|window| window == b"\"number\":3,");
        match self.fault.as_str() {
            "abort" if page3 => std::process::abort(),
            "hang" if page3 => loop {
                std::thread::sleep(Duration::from_secs(1));
            },
            "eat" if page3 => {
                let mut hoard = Vec::new();
                loop {
                    hoard.push(vec![1u8; 64 << 20]);
                }
            }
            "slow" => std::thread::sleep(Duration::from_millis(400)),
            _ => {}
        }
        self.output.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

fn config(fault: Option<&str>) -> Config {
    let exe = std::env::current_exe().expect("the test knows its path");
    let mut command: Vec<OsString> = vec![exe.into(), worker::ARGUMENT.into()];
    command.extend(fault.map(OsString::from));
    Config {
        worker: Some(command),
        file_timeout: Duration::from_secs(60),
        page_timeout: Duration::from_secs(20),
        max_bytes: 100 << 20,
        max_pages: 5000,
        max_memory: 1 << 30,
        password: None,
    }
}

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/papers/brush-model-extensions.pdf")
}

fn read(config: &Config) -> Pdf {
    techrag_pdf::read(&fixture(), config).expect("the paper is readable")
}

fn failed(pdf: &Pdf) -> Vec<(u32, String)> {
    let failed = pdf.pages.iter().filter_map(|page| match &page.outcome {
        Outcome::Failed(why) => Some((page.number, why.clone())),
        _ => None,
    });
    failed.collect()
}

fn only_page_3_failed(pdf: &Pdf, words: &str) {
    let whole = read(&config(None));
    assert_eq!(pdf.pages.len(), whole.pages.len());
    let failed = failed(pdf);
    assert_eq!(failed.iter().map(|(page, _)| *page).collect::<Vec<_>>(), [3]);
    assert!(failed[0].1.contains(words), "{failed:?}");
    assert_eq!(pdf.pages[3].blocks.len(), whole.pages[3].blocks.len());
}

fn reads_like_in_process() {
    let isolated = read(&config(None));
    let here = read(&Config { worker: None, ..config(None) });
    assert!(isolated.pages.len() > 3);
    assert_eq!(isolated, here);
}

fn a_crash_costs_one_page() {
    only_page_3_failed(&read(&config(Some("abort"))), "ended");
}

fn a_hang_costs_one_page() {
    let start = Instant::now();
    only_page_3_failed(&read(&Config { page_timeout: Duration::from_secs(2), ..config(Some("hang")) }), "no answer");
    assert!(start.elapsed() < Duration::from_secs(30));
}

fn a_greedy_page_is_cut_off() {
    only_page_3_failed(&read(&config(Some("eat"))), "memory");
}

fn a_file_out_of_time_keeps_its_pages() {
    let pdf = read(&Config { file_timeout: Duration::from_secs(2), ..config(Some("slow")) });
    let failed = failed(&pdf);
    assert!(!failed.is_empty() && failed.len() < pdf.pages.len(), "{} of {}", failed.len(), pdf.pages.len());
    assert!(failed.iter().all(|(_, why)| why.contains("the file took longer")));
}

fn many_threads_share_the_pool() {
    let config = config(None);
    let whole = read(&config);
    std::thread::scope(|scope| {
        let readers: Vec<_> =
            (0..4).map(|_| scope.spawn(|| (0..2).map(|_| read(&config)).collect::<Vec<_>>())).collect();
        for reader in readers {
            assert!(reader.join().expect("no panic").iter().all(|pdf| *pdf == whole));
        }
    });
}

fn errors_travel() {
    let missing = techrag_pdf::read(Path::new("no/such.pdf"), &config(None));
    assert!(matches!(missing, Err(Error::Unreadable(_))), "{missing:?}");
    let source = techrag_pdf::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"), &config(None));
    assert!(matches!(source, Err(Error::NotPdf(_))), "{source:?}");
    let small = techrag_pdf::read(&fixture(), &Config { max_bytes: 1000, ..config(None) });
    assert!(matches!(small, Err(Error::TooLarge(_))), "{small:?}");
    let short = techrag_pdf::read(&fixture(), &Config { max_pages: 2, ..config(None) });
    assert!(matches!(short, Err(Error::TooLarge(_))), "{short:?}");
    let command = Some(vec![OsString::from("no-such-program")]);
    let lost = techrag_pdf::read(&fixture(), &Config { worker: command, ..config(None) });
    assert!(matches!(lost, Err(Error::Crashed(_))), "{lost:?}");
}

/// Children of this process that have ended and not been waited for; none where the system does not tell.
fn zombies() -> usize {
    let Ok(processes) = std::fs::read_dir("/proc") else { return 0 };
    let me = std::process::id().to_string();
    let stats = processes.flatten().filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok());
    let fields = stats.filter_map(|stat| stat.rsplit_once(") ").map(|(_, rest)| rest.to_owned()));
    fields.filter(|rest| rest.starts_with('Z') && rest.split(' ').nth(1) == Some(me.as_str())).count()
}
