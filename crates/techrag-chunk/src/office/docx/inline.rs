//! The text of one paragraph, with what is anchored in it.

use super::super::xml::Node;
use super::{equation, symbol};

/// What a paragraph holds.
#[derive(Clone, Debug, Default)]
pub(super) struct Inline<'a> {
    pieces: Vec<Piece>,
    pub(super) notes: Vec<Note>,
    /// Identifiers of comments that end here.
    pub(super) comments: Vec<String>,
    /// Contents of text boxes.
    pub(super) boxes: Vec<&'a Node>,
    /// Identifiers of charts.
    pub(super) charts: Vec<String>,
    /// Names of what is not read.
    pub(super) left_out: Vec<&'static str>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Equation(String),
}

/// A reference to a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Note {
    pub(super) kind: NoteKind,
    pub(super) id: String,
    /// Its number as the reader counts, over both kinds.
    pub(super) mark: usize,
}

/// Which part a note is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum NoteKind {
    Foot,
    End,
}

impl<'a> Inline<'a> {
    /// `noted` counts the notes of the document.
    pub(super) fn read(paragraph: &'a Node, noted: &mut usize) -> Self {
        let mut inline = Self::default();
        inline.walk(paragraph, noted);
        inline
    }

    /// The text; equations between dollar signs, doubled where they stand alone.
    pub(super) fn text(&self) -> String {
        let alone = self.pieces.iter().all(|piece| {
            matches!(piece, Piece::Equation(_))
                || *piece == Piece::Text(String::new())
                || matches!(piece, Piece::Text(text) if text.trim().is_empty())
        });
        let mut words = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => words.push_str(text),
                Piece::Equation(latex) if alone => words.push_str(&format!("$${latex}$$\n")),
                Piece::Equation(latex) => words.push_str(&format!("${latex}$")),
            }
        }
        words
    }

    fn walk(&mut self, parent: &'a Node, noted: &mut usize) {
        for node in parent.nodes() {
            match &*node.name {
                "w:r" if is_hidden(node) => {}
                "w:r" => self.run(node, noted),
                "w:hyperlink" | "w:smartTag" | "w:ins" | "w:moveTo" | "w:sdt" | "w:sdtContent" | "w:customXml"
                | "w:fldSimple" | "w:dir" | "w:bdo" | "m:oMathPara" => self.walk(node, noted),
                "m:oMath" => self.equation(node),
                "mc:AlternateContent" => chosen(node).into_iter().for_each(|node| self.walk(node, noted)),
                _ => {}
            }
        }
    }

    fn run(&mut self, run: &'a Node, noted: &mut usize) {
        for node in run.nodes() {
            match &*node.name {
                "w:t" => self.push(&node.text()),
                "w:tab" | "w:ptab" => self.push(" "),
                "w:br" | "w:cr" => self.push("\n"),
                "w:noBreakHyphen" => self.push("\u{2011}"),
                "w:sym" => self.symbol(node),
                "w:footnoteReference" => self.note(node, NoteKind::Foot, noted),
                "w:endnoteReference" => self.note(node, NoteKind::End, noted),
                "w:commentReference" => self.comments.extend(node.attribute("id").map(str::to_owned)),
                "w:object" => self.left_out.push("embedded objects"),
                "w:ruby" => node.at(&["w:rubyBase"]).into_iter().for_each(|base| self.walk(base, noted)),
                "m:oMath" => self.equation(node),
                "w:drawing" | "w:pict" | "mc:AlternateContent" => self.drawing(node),
                _ => {}
            }
        }
    }

    fn drawing(&mut self, node: &'a Node) {
        match &*node.name {
            "mc:AlternateContent" => chosen(node).into_iter().for_each(|node| self.drawing(node)),
            "w:txbxContent" => self.boxes.push(node),
            "pic:pic" | "v:imagedata" => self.left_out.push("pictures"),
            "c:chart" => self.charts.extend(node.attribute("r:id").map(str::to_owned)),
            "dgm:relIds" => self.left_out.push("diagrams"),
            _ => node.nodes().for_each(|node| self.drawing(node)),
        }
    }

    fn equation(&mut self, node: &Node) {
        let latex = equation::latex(node).trim().to_owned();
        if !latex.is_empty() {
            self.pieces.push(Piece::Equation(latex));
        }
    }

    fn note(&mut self, node: &Node, kind: NoteKind, noted: &mut usize) {
        let Some(id) = node.attribute("id") else { return };
        *noted += 1;
        self.push(&format!("[^{noted}]"));
        self.notes.push(Note { kind, id: id.to_owned(), mark: *noted });
    }

    /// A character by its number in a font. Symbol fonts put theirs in the private area, where only the font knows
    /// what they are: of those that are known here the sign, else a mark that something stood there.
    fn symbol(&mut self, node: &Node) {
        let code = node.attribute("char").and_then(|code| u32::from_str_radix(code, 16).ok()).and_then(char::from_u32);
        let shown = code.map_or(char::REPLACEMENT_CHARACTER, |code| {
            symbol::shown(node.attribute("font").unwrap_or_default(), code)
        });
        if shown == char::REPLACEMENT_CHARACTER {
            self.left_out.push("symbols of a font of their own");
        }
        self.push(shown.encode_utf8(&mut [0; 4]));
    }

    fn push(&mut self, text: &str) {
        match self.pieces.last_mut() {
            Some(Piece::Text(open)) => open.push_str(text),
            _ => self.pieces.push(Piece::Text(text.to_owned())),
        }
    }
}

/// The reading that the writer meant for programs that know everything, or the one for those that do not.
pub(super) fn chosen(node: &Node) -> Option<&Node> {
    node.at(&["mc:Choice"]).or_else(|| node.at(&["mc:Fallback"]))
}

fn is_hidden(run: &Node) -> bool {
    run.at(&["w:rPr", "w:vanish"]).is_some_and(|vanish| !matches!(vanish.attribute("val"), Some("0" | "false")))
}
