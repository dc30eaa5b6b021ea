//! Entries as real lists print them.

use super::*;

/// Raw entry; label; authors joined by `|`; title; year; DOI.
type Case = (&'static str, Option<&'static str>, &'static str, &'static str, Option<i32>, Option<&'static str>);

fn check(cases: &[Case], style: Style) {
    for (raw, label, authors, title, year, doi) in cases {
        let got = parse(raw, style);
        assert_eq!(got.title.as_deref(), Some(*title), "{raw}");
        assert_eq!(got.authors.join("|"), *authors, "{raw}");
        assert_eq!((got.label.as_deref(), got.year, got.doi.as_deref()), (*label, *year, *doi), "{raw}");
        assert_eq!(got.raw, *raw);
    }
}

#[test]
fn titles_in_quotes_and_books_beside_them() {
    check(
        &[
            (
                "[4] F. Gustafsson, ‘Slip-Based Tire-Road Friction Estimation’, Automatica, vol. 33, no. 6, pp. 1087–1099, 1997, doi: 10.1016/S0005-1098(97)00003-4.",
                Some("4"),
                "F. Gustafsson",
                "Slip-Based Tire-Road Friction Estimation",
                Some(1997),
                Some("10.1016/s0005-1098(97)00003-4"),
            ),
            (
                "[2] H. B. Pacejka, Tire and Vehicle Dynamics, 3rd edn. Butterworth-Heinemann, 2012.",
                Some("2"),
                "H. B. Pacejka",
                "Tire and Vehicle Dynamics",
                Some(2012),
                None,
            ),
            (
                "[11] W. F. Milliken and D. L. Milliken, Race Car Vehicle Dynamics. Society of Automotive Engineers, 1995.",
                Some("11"),
                "W. F. Milliken|D. L. Milliken",
                "Race Car Vehicle Dynamics",
                Some(1995),
                None,
            ),
            (
                "[2] U. Kiencke and L. Nielsen, Automotive Control Systems: For Engine, Driveline, and Vehicle, 2nd edn. Springer, 2005.",
                Some("2"),
                "U. Kiencke|L. Nielsen",
                "Automotive Control Systems: For Engine, Driveline, and Vehicle",
                Some(2005),
                None,
            ),
            (
                "[1] Wenjing Zhao et al. “Effects of the tyres’ state on safety”. In: Accident Analysis & Prevention 186 (2023), p. 107053.",
                Some("1"),
                "Wenjing Zhao",
                "Effects of the tyres’ state on safety",
                Some(2023),
                None,
            ),
            (
                "[9] E. Bakker, L. Nyborg, and H. B. Pacejka, ‘Tyre Modelling for Use in Vehicle Dynamics Studies’, technical report, 1987. doi: 10.4271/870421.",
                Some("9"),
                "E. Bakker|L. Nyborg|H. B. Pacejka",
                "Tyre Modelling for Use in Vehicle Dynamics Studies",
                Some(1987),
                Some("10.4271/870421"),
            ),
        ],
        Style::Quoted,
    );
}

#[test]
fn full_stops_between_the_parts() {
    check(
        &[
            (
                "Murad Abu-Khalaf, Sertac Karaman, and Daniela Rus. Feedback from pixels: Output regulation via learning-based scene view synthesis. arXiv preprint arXiv:2103.10888, 2021.",
                None,
                "Murad Abu-Khalaf|Sertac Karaman|Daniela Rus",
                "Feedback from pixels: Output regulation via learning-based scene view synthesis",
                Some(2021),
                None,
            ),
            (
                "A. Amini, W. Schwarting, and D. Rus. Variational autoencoder for end-to-end control. In 2018 IEEE/RSJ International Conference on Intelligent Robots and Systems (IROS), pages 568–575, Oct 2018. doi: 10.1109/IROS.2018.8594386.",
                None,
                "A. Amini|W. Schwarting|D. Rus",
                "Variational autoencoder for end-to-end control",
                Some(2018),
                Some("10.1109/iros.2018.8594386"),
            ),
            (
                "Brian DO Anderson and John B Moore. Optimal filtering. Courier Corporation, 2012.",
                None,
                "Brian DO Anderson|John B Moore",
                "Optimal filtering",
                Some(2012),
                None,
            ),
            (
                "Francesco Casella. Can the COVID-19 epidemic be controlled on the basis of daily test reports? arXiv preprint, page 2003.06967, 2020.",
                None,
                "Francesco Casella",
                "Can the COVID-19 epidemic be controlled on the basis of daily test reports?",
                Some(2020),
                None,
            ),
            (
                "FliPASED. Flight Phase Adaptive Aero-Servo-Elastic Aircraft Design Methods. Horizon 2020 programme, grant agreement No 815058., 2019. URL https://flipased.eu/. (Accessed on 03. 2022.).",
                None,
                "FliPASED",
                "Flight Phase Adaptive Aero-Servo-Elastic Aircraft Design Methods",
                Some(2019),
                None,
            ),
            (
                "Avrim Blum and Yishay Mansour. From external to internal regret. volume 8, 05 2004. doi: 10.1007/11503415_42.",
                None,
                "Avrim Blum|Yishay Mansour",
                "From external to internal regret",
                Some(2004),
                Some("10.1007/11503415_42"),
            ),
            (
                "Marloes Maathuis and Mathias Drton, editors. Handbook of graphical models. CRC Press, 2019.",
                None,
                "Marloes Maathuis|Mathias Drton",
                "Handbook of graphical models",
                Some(2019),
                None,
            ),
            (
                "Thomas S. Richardson. Single world intervention graphs. preprint: http://www.x.edu/wp128.pdf, 2013.",
                None,
                "Thomas S. Richardson",
                "Single world intervention graphs",
                Some(2013),
                None,
            ),
            (
                "E. Coumans and Y. Bai. Pybullet, a python module for games. http://pybullet.org, 2016–2019.",
                None,
                "E. Coumans|Y. Bai",
                "Pybullet, a python module for games",
                Some(2019),
                None,
            ),
            (
                "H.G. Bock. Numerical treatment of inverse problems in chemical reaction kinetics. In Modelling of chemical reaction systems, pages 102–125. Springer, 1981.",
                None,
                "H.G. Bock",
                "Numerical treatment of inverse problems in chemical reaction kinetics",
                Some(1981),
                None,
            ),
        ],
        Style::Plain,
    );
}

#[test]
fn the_year_in_brackets_after_the_authors() {
    check(
        &[
            (
                "Cheng, X., & van Zanten, A. T. (2017). On the slip of tyres. Vehicle System Dynamics, 55(3), 1999–2010.",
                None,
                "Cheng, X.|van Zanten, A. T.",
                "On the slip of tyres",
                Some(2017),
                None,
            ),
            (
                "Olfati-Saber R, Murray RM (2004) Consensus problems in networks. IEEE Trans 49:1520–1533",
                None,
                "Olfati-Saber R|Murray RM",
                "Consensus problems in networks",
                Some(2004),
                None,
            ),
        ],
        Style::Plain,
    );
}

#[test]
fn what_cannot_be_told_stays_unknown() {
    let got = parse("see the manual of the maker, 1987, pp. 1999–2003", Style::Plain);
    assert_eq!((got.title, got.authors.len(), got.year), (None, 0, Some(1987)));
}
