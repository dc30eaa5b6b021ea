//! Equations of Word and PowerPoint (Office MathML) as LaTeX, the notation that technical text is searched and read in.

use super::super::xml::Node;

/// What stands inside an `m:oMath` element, or any part of one.
pub(in crate::office) fn latex(node: &Node) -> String {
    node.nodes().map(part).collect::<String>()
}

fn part(node: &Node) -> String {
    let of = |name| node.at(&[name]).map(latex).unwrap_or_default();
    let property = |properties: &str, name: &str| {
        node.at(&[properties, name]).map(|node| node.attribute("val").unwrap_or_default().to_owned())
    };
    match &*node.name {
        "m:r" => node.all("m:t").map(|text| symbols(&text.text())).collect(),
        "m:f" => match property("m:fPr", "m:type").as_deref() {
            Some("noBar") => format!("\\genfrac{{}}{{}}{{0pt}}{{}}{{{}}}{{{}}}", of("m:num"), of("m:den")),
            Some("lin") => format!("{}/{}", of("m:num"), of("m:den")),
            _ => format!("\\frac{{{}}}{{{}}}", of("m:num"), of("m:den")),
        },
        "m:sSup" => format!("{}^{{{}}}", of("m:e"), of("m:sup")),
        "m:sSub" => format!("{}_{{{}}}", of("m:e"), of("m:sub")),
        "m:sSubSup" => format!("{}_{{{}}}^{{{}}}", of("m:e"), of("m:sub"), of("m:sup")),
        "m:sPre" => format!("{{}}_{{{}}}^{{{}}}{}", of("m:sub"), of("m:sup"), of("m:e")),
        "m:rad" => match of("m:deg") {
            degree if degree.is_empty() => format!("\\sqrt{{{}}}", of("m:e")),
            degree => format!("\\sqrt[{degree}]{{{}}}", of("m:e")),
        },
        "m:nary" => nary(node, property("m:naryPr", "m:chr").as_deref()),
        "m:d" => delimited(node),
        "m:func" => format!("{}{}", function(node), of("m:e")),
        "m:limLow" => format!("{}_{{{}}}", of("m:e"), of("m:lim")),
        "m:limUpp" => format!("\\overset{{{}}}{{{}}}", of("m:lim"), of("m:e")),
        "m:acc" => format!("{}{{{}}}", accent(property("m:accPr", "m:chr").as_deref()), of("m:e")),
        "m:bar" if property("m:barPr", "m:pos").as_deref() == Some("top") => format!("\\overline{{{}}}", of("m:e")),
        "m:bar" => format!("\\underline{{{}}}", of("m:e")),
        "m:groupChr" => match property("m:groupChrPr", "m:pos").as_deref() {
            Some("top") => format!("\\overbrace{{{}}}", of("m:e")),
            _ => format!("\\underbrace{{{}}}", of("m:e")),
        },
        "m:m" => matrix(node),
        "m:eqArr" => node.all("m:e").map(latex).collect::<Vec<_>>().join(" \\\\ "),
        name if name.ends_with("Pr") => String::new(),
        _ => latex(node),
    }
}

fn nary(node: &Node, sign: Option<&str>) -> String {
    let of = |name| node.at(&[name]).map(latex).unwrap_or_default();
    // The standard's default is the integral.
    let sign = match sign {
        None | Some("") => "\\int".to_owned(),
        Some(sign) => symbols(sign).trim().to_owned(),
    };
    format!("{sign}_{{{}}}^{{{}}}{}", of("m:sub"), of("m:sup"), of("m:e"))
}

fn delimited(node: &Node) -> String {
    let sign = |name: &str, default: &str| {
        let own = node.at(&["m:dPr", name]).map(|node| node.attribute("val").unwrap_or_default());
        own.unwrap_or(default).to_owned()
    };
    let bracket = |sign: String| match sign.as_str() {
        "" => ".".to_owned(),
        "{" | "}" => format!("\\{sign}"),
        _ => sign,
    };
    let inside: Vec<String> = node.all("m:e").map(latex).collect();
    let (open, close) = (bracket(sign("m:begChr", "(")), bracket(sign("m:endChr", ")")));
    format!("\\left{open}{}\\right{close}", inside.join(&sign("m:sepChr", "|")))
}

fn function(node: &Node) -> String {
    let name = node.at(&["m:fName"]).map(latex).unwrap_or_default();
    let word: String = name.chars().take_while(|c| c.is_ascii_alphabetic()).collect();
    const KNOWN: &[&str] = &[
        "arccos", "arcsin", "arctan", "cos", "cosh", "cot", "det", "exp", "inf", "lim", "ln", "log", "max", "min",
        "sin", "sinh", "sup", "tan", "tanh",
    ];
    if KNOWN.contains(&word.as_str()) { format!("\\{name} ") } else { name }
}

fn accent(sign: Option<&str>) -> &'static str {
    match sign {
        Some("\u{303}") => "\\tilde",
        Some("\u{304}" | "\u{305}" | "\u{af}") => "\\bar",
        Some("\u{307}") => "\\dot",
        Some("\u{308}") => "\\ddot",
        Some("\u{20d7}") => "\\vec",
        _ => "\\hat",
    }
}

fn matrix(node: &Node) -> String {
    let row = |row: &Node| row.all("m:e").map(latex).collect::<Vec<_>>().join(" & ");
    let rows: Vec<String> = node.all("m:mr").map(row).collect();
    format!("\\begin{{matrix}}{}\\end{{matrix}}", rows.join(" \\\\ "))
}

/// Letters and signs that LaTeX has a name for, by that name.
fn symbols(text: &str) -> String {
    let mut written = String::new();
    for c in text.chars() {
        match SYMBOLS.iter().find(|(sign, _)| *sign == c) {
            Some((_, name)) => written.push_str(&format!("\\{name} ")),
            None => written.push(plain(c)),
        }
    }
    written
}

/// The mathematical alphabets folded to letters, as everywhere in this project's search.
fn plain(c: char) -> char {
    let folded = techrag_core::text::unify(c.encode_utf8(&mut [0; 4]));
    match (folded.chars().next(), ('\u{1d400}'..='\u{1d7ff}').contains(&c)) {
        (Some(letter), true) => letter,
        _ => c,
    }
}

const SYMBOLS: &[(char, &str)] = &[
    ('α', "alpha"),
    ('β', "beta"),
    ('γ', "gamma"),
    ('δ', "delta"),
    ('ε', "varepsilon"),
    ('ϵ', "epsilon"),
    ('ζ', "zeta"),
    ('η', "eta"),
    ('θ', "theta"),
    ('κ', "kappa"),
    ('λ', "lambda"),
    ('μ', "mu"),
    ('ν', "nu"),
    ('ξ', "xi"),
    ('π', "pi"),
    ('ρ', "rho"),
    ('σ', "sigma"),
    ('τ', "tau"),
    ('φ', "varphi"),
    ('ϕ', "phi"),
    ('χ', "chi"),
    ('ψ', "psi"),
    ('ω', "omega"),
    ('Γ', "Gamma"),
    ('Δ', "Delta"),
    ('Θ', "Theta"),
    ('Λ', "Lambda"),
    ('Σ', "Sigma"),
    ('Φ', "Phi"),
    ('Ψ', "Psi"),
    ('Ω', "Omega"),
    ('∞', "infty"),
    ('×', "times"),
    ('⋅', "cdot"),
    ('·', "cdot"),
    ('±', "pm"),
    ('≤', "leq"),
    ('≥', "geq"),
    ('≠', "neq"),
    ('≈', "approx"),
    ('∂', "partial"),
    ('∇', "nabla"),
    ('∈', "in"),
    ('∩', "cap"),
    ('∪', "cup"),
    ('→', "rightarrow"),
    ('…', "textellipsis"),
    ('∑', "sum"),
    ('∏', "prod"),
    ('∫', "int"),
    ('∬', "iint"),
    ('∭', "iiint"),
    ('∮', "oint"),
    ('∯', "oiint"),
    ('∰', "oiiint"),
    ('⋃', "bigcup"),
    ('⋂', "bigcap"),
    ('⋀', "bigwedge"),
    ('⋁', "bigvee"),
];

#[cfg(test)]
mod tests {
    use super::super::super::xml;
    use super::*;

    fn read(inside: &str) -> String {
        let space = "http://schemas.openxmlformats.org/officeDocument/2006/math";
        latex(&xml::parse(format!("<m:oMath xmlns:m='{space}'>{inside}</m:oMath>").as_bytes()).unwrap())
    }

    #[test]
    fn structures_become_latex() {
        let r = |text: &str| format!("<m:r><m:t>{text}</m:t></m:r>");
        let square = format!("<m:sSup><m:e>{}</m:e><m:sup>{}</m:sup></m:sSup>", r("𝑣"), r("2"));
        assert_eq!(read(&square), "v^{2}");
        assert_eq!(
            read(&format!("<m:f><m:num>{}</m:num><m:den>{square}</m:den></m:f>", r("μ"))),
            "\\frac{\\mu }{v^{2}}"
        );
        assert_eq!(read(&format!("<m:d><m:e>{}</m:e></m:d>", r("a+b"))), "\\left(a+b\\right)");
        let root = format!("<m:rad><m:radPr><m:degHide m:val='1'/></m:radPr><m:deg/><m:e>{}</m:e></m:rad>", r("x"));
        assert_eq!(read(&root), "\\sqrt{x}");
        let sum = "<m:nary><m:naryPr><m:chr m:val='∑'/></m:naryPr><m:sub/><m:sup/><m:e/></m:nary>";
        assert_eq!(read(sum), "\\sum_{}^{}");
    }

    #[test]
    fn a_degree_within_degrees_is_read_once() {
        // Read twice at every depth it would never come to an end.
        let deep = format!("{}<m:r><m:t>x</m:t></m:r>{}", "<m:rad><m:deg>".repeat(90), "</m:deg></m:rad>".repeat(90));
        assert!(read(&deep).contains("\\sqrt[x]{}"));
    }
}
