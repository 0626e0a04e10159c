"""
Nations, countries and currencies by their codes and names; exact look-ups only.

Sport bodies write codes of the International Olympic Committee. A code that ISO 3166-1 lists has
ISO's meaning (BRN is Brunei, to the IOC Bahrain); codes that mean two nations are none; other codes
of the IOC are translated by the table below; what is left may be a country that is gone (YUG).
"""

from __future__ import annotations

from functools import cache, lru_cache

from palmares.core.messages import msg

SPORT = {
    "ENG": "England",
    "SCO": "Scotland",
    "WAL": "Wales",
    "NIR": "Northern Ireland",
    "XKX": "Kosovo",
}
"""Nations that play under their own name and have no code in ISO 3166-1."""

# fmt: off
IOC = {
    "ALG": "DZA", "ANT": "ATG", "ARU": "ABW", "ASA": "ASM", "BAH": "BHS",
    "BAN": "BGD", "BAR": "BRB", "BER": "BMU", "BHU": "BTN", "BIZ": "BLZ", "BOT": "BWA",
    "BRU": "BRN", "BUL": "BGR", "CAM": "KHM", "CAY": "CYM", "CGO": "COG",
    "CHA": "TCD", "CHI": "CHL", "CRC": "CRI", "CRO": "HRV", "DEN": "DNK", "ESA": "SLV",
    "FIJ": "FJI", "FRG": "DEU", "GAM": "GMB", "GBS": "GNB", "GDR": "DDR", "GEQ": "GNQ",
    "GER": "DEU", "GRE": "GRC", "GRN": "GRD", "GUA": "GTM", "GUI": "GIN", "HAI": "HTI",
    "HON": "HND", "INA": "IDN", "IRI": "IRN", "ISV": "VIR", "IVB": "VGB", "KOS": "XKX",
    "KSA": "SAU", "KUW": "KWT", "LAT": "LVA", "LBA": "LBY", "LES": "LSO", "LIB": "LBN",
    "MAD": "MDG", "MAS": "MYS", "MAW": "MWI", "MGL": "MNG", "MON": "MCO", "MRI": "MUS",
    "MTN": "MRT", "MYA": "MMR", "NCA": "NIC", "NED": "NLD", "NEP": "NPL", "NGR": "NGA",
    "OMA": "OMN", "PAR": "PRY", "PHI": "PHL", "PLE": "PSE", "POR": "PRT",
    "PUR": "PRI", "RSA": "ZAF", "SAM": "WSM", "SEY": "SYC", "SIN": "SGP", "SKN": "KNA",
    "SLO": "SVN", "SOL": "SLB", "SRI": "LKA", "SUD": "SDN", "SUI": "CHE", "TAN": "TZA",
    "TGA": "TON", "TOG": "TGO", "TPE": "TWN", "UAE": "ARE", "URS": "SUN",
    "URU": "URY", "VAN": "VUT", "VIE": "VNM", "VIN": "VCT", "ZAM": "ZMB", "ZIM": "ZWE",
}
"""Codes of the International Olympic Committee that ISO writes differently."""

AMBIGUOUS = {
    "ANG": msg("ANG is England in French, and Angola to the IOC. Write ENG or AGO."),
    "BUR": msg("BUR was Burma, and is Burkina Faso to the IOC. Write MMR or BFA."),
    "NIG": msg("NIG may be Nigeria, and is Niger to the IOC. Write NGA or NER."),
    "TCH": msg("TCH is Czechia in French, and was Czechoslovakia. Write CZE or CSK."),
}
"""Codes that mean different nations to different people: what to write instead."""

SIGNS = {
    "A": "AUT", "B": "BEL", "D": "DEU", "E": "ESP", "F": "FRA", "H": "HUN", "I": "ITA",
    "J": "JPN", "L": "LUX", "N": "NOR", "P": "PRT", "S": "SWE", "UK": "GBR",
}
"""Signs of cars, in a column of nations: those that lists are known to use."""

NAMES = {
    "angleterre": "ENG", "bosnia": "BIH", "bosnie": "BIH", "bosnien": "BIH", "brunei": "BRN",
    "burma": "MMR", "cape verde": "CPV", "czech rep": "CZE", "england": "ENG", "escocia": "SCO",
    "gales": "WAL",
    "galles": "WAL", "gran bretagna": "GBR", "gran bretaña": "GBR", "grande-bretagne": "GBR",
    "great britain": "GBR", "grossbritannien": "GBR", "holland": "NLD", "inghilterra": "ENG",
    "inglaterra": "ENG", "irlanda del nord": "NIR", "irlanda del norte": "NIR",
    "irlande du nord": "NIR", "ivory coast": "CIV", "macau": "MAC", "macedonia": "MKD",
    "moldawien": "MDA", "nordirland": "NIR", "northern ireland": "NIR", "palestine": "PSE",
    "pays de galles": "WAL", "rusia": "RUS", "russia": "RUS", "russie": "RUS", "russland": "RUS",
    "schottland": "SCO", "scotland": "SCO", "scozia": "SCO", "swaziland": "SWZ",
    "the netherlands": "NLD", "tschechische republik": "CZE", "turkey": "TUR", "wales": "WAL",
    "weissrussland": "BLR", "écosse": "SCO", "kosovo": "XKX",
}
"""Names of countries as people write them, where ISO 3166-1 and its translations have another."""

LANGUAGES = (
    "cs", "da", "de", "es", "fi", "fr", "hr", "hu", "it", "nb", "nl", "pl", "pt", "ro", "ru", "sv",
    "tr",
)
"""The languages in which names of countries are read, beside English."""

GONE = frozenset({
    "ATS", "BEF", "BGN", "CSD", "CYP", "DEM", "EEK", "ESP", "FIM", "FRF", "GRD", "HRK", "IEP",
    "ITL", "LTL", "LUF", "LVL", "MTL", "NLG", "PTE", "ROL", "RUR", "SIT", "SKK", "TRL", "YUM",
})
"""Currencies that tournaments had and ISO 4217 no longer lists."""
# fmt: on


@lru_cache(maxsize=1024)
def nation(text: str) -> str | None:
    """The nation a code stands for, as ISO 3166-1 alpha-3 or a sport code; none if unknown."""
    import pycountry

    code = text.strip().upper()
    if len(code) != len("CZE") or not code.isascii():
        return None
    if code in SPORT or pycountry.countries.get(alpha_3=code):
        return code
    if code in AMBIGUOUS:
        return None
    if code in IOC:
        return IOC[code]
    return code if pycountry.historic_countries.get(alpha_3=code) else None


@lru_cache(maxsize=1024)
def country(text: str) -> str | None:
    """The country that a code of two or three letters, or a name, stands for; none if unknown."""
    import pycountry

    word = text.strip().replace(".", "")  # U.S.A.
    if code := nation(word) or NAMES.get(word.casefold()):
        return code
    if len(word) == len("CZ"):
        entry = pycountry.countries.get(alpha_2=word.upper())
        return str(entry.alpha_3) if entry else None
    names = _codes_by_name()
    return names.get(word.casefold()) or names.get(text.strip().casefold())  # St. Lucia


@cache
def _codes_by_name() -> dict[str, str]:
    """Codes of countries by their names in `LANGUAGES` and in English; a name means one country."""
    import gettext

    import pycountry

    codes: dict[str, str] = {}
    for language in LANGUAGES:
        translation = gettext.translation(
            "iso3166-1", pycountry.LOCALES_DIR, [language], fallback=True
        )
        for entry in pycountry.countries:
            for attribute in ("name", "common_name", "official_name"):
                if name := getattr(entry, attribute, ""):
                    codes[name.casefold()] = entry.alpha_3
                    codes[translation.gettext(name).casefold()] = entry.alpha_3
    return codes


def nation_in_column(text: str) -> str | None:
    """The nation that stands in a column of nations, as a code, a name or a sign; none if none.

    Only there is ``E`` Spain: in the brackets behind a name it may be anything.
    """
    return SIGNS.get(text.strip().upper()) or country(text)


def remedy(text: str) -> str:
    """What to write instead of a text that is no code of a nation."""
    if doubt := AMBIGUOUS.get(text.strip().upper()):
        return doubt
    if code := country(text):
        return msg("Write %(code)s.", code=code)
    return msg(
        "Write the three letters of ISO 3166-1, such as CZE, or ENG, SCO, WAL, NIR;"
        " leave it empty if the nation is not known."
    )


@lru_cache(maxsize=256)
def currency(text: str) -> str | None:
    """A currency by its ISO 4217 code, in capitals; none if there is no such currency."""
    code = text.strip().upper()
    if code == "EUR" or code in GONE:
        return code
    if len(code) != len("EUR") or not (code.isascii() and code.isalpha()):
        return None
    import pycountry

    return code if pycountry.currencies.get(alpha_3=code) else None


@cache
def currencies() -> tuple[str, ...]:
    """The codes of all currencies that there are, and that tournaments had."""
    import pycountry

    return tuple(sorted({*GONE, *(entry.alpha_3 for entry in pycountry.currencies)}))


@cache
def countries() -> tuple[str, ...]:
    """The codes of all countries that there are, and of the nations of sport."""
    import pycountry

    return tuple(sorted({*SPORT, *(entry.alpha_3 for entry in pycountry.countries)}))
