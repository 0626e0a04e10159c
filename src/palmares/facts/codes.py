"""
Nations, countries and currencies by their codes; exact look-ups only, nothing is guessed.

Sport bodies write codes of the International Olympic Committee. A code that ISO 3166-1 lists has
ISO's meaning (BRN is Brunei, to the IOC Bahrain); other codes of the IOC are translated by the
table below; what is left may be a country that is gone (YUG).
"""

from __future__ import annotations

from functools import lru_cache

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
    "ALG": "DZA", "ANG": "AGO", "ANT": "ATG", "ARU": "ABW", "ASA": "ASM", "BAH": "BHS",
    "BAN": "BGD", "BAR": "BRB", "BER": "BMU", "BHU": "BTN", "BIZ": "BLZ", "BOT": "BWA",
    "BRU": "BRN", "BUL": "BGR", "BUR": "BFA", "CAM": "KHM", "CAY": "CYM", "CGO": "COG",
    "CHA": "TCD", "CHI": "CHL", "CRC": "CRI", "CRO": "HRV", "DEN": "DNK", "ESA": "SLV",
    "FIJ": "FJI", "FRG": "DEU", "GAM": "GMB", "GBS": "GNB", "GDR": "DDR", "GEQ": "GNQ",
    "GER": "DEU", "GRE": "GRC", "GRN": "GRD", "GUA": "GTM", "GUI": "GIN", "HAI": "HTI",
    "HON": "HND", "INA": "IDN", "IRI": "IRN", "ISV": "VIR", "IVB": "VGB", "KOS": "XKX",
    "KSA": "SAU", "KUW": "KWT", "LAT": "LVA", "LBA": "LBY", "LES": "LSO", "LIB": "LBN",
    "MAD": "MDG", "MAS": "MYS", "MAW": "MWI", "MGL": "MNG", "MON": "MCO", "MRI": "MUS",
    "MTN": "MRT", "MYA": "MMR", "NCA": "NIC", "NED": "NLD", "NEP": "NPL", "NGR": "NGA",
    "NIG": "NER", "OMA": "OMN", "PAR": "PRY", "PHI": "PHL", "PLE": "PSE", "POR": "PRT",
    "PUR": "PRI", "RSA": "ZAF", "SAM": "WSM", "SEY": "SYC", "SIN": "SGP", "SKN": "KNA",
    "SLO": "SVN", "SOL": "SLB", "SRI": "LKA", "SUD": "SDN", "SUI": "CHE", "TAN": "TZA",
    "TCH": "CSK", "TGA": "TON", "TOG": "TGO", "TPE": "TWN", "UAE": "ARE", "URS": "SUN",
    "URU": "URY", "VAN": "VUT", "VIE": "VNM", "VIN": "VCT", "ZAM": "ZMB", "ZIM": "ZWE",
}
"""Codes of the International Olympic Committee that ISO writes differently."""

SIGNS = {
    "A": "AUT", "B": "BEL", "D": "DEU", "E": "ESP", "F": "FRA", "H": "HUN", "I": "ITA",
    "J": "JPN", "L": "LUX", "N": "NOR", "P": "PRT", "S": "SWE", "UK": "GBR",
}
"""Signs of cars, in a column of nations: those that lists are known to use."""

NAMES = {
    "bosnia": "BIH", "brunei": "BRN", "burma": "MMR", "cape verde": "CPV",
    "great britain": "GBR", "holland": "NLD", "ivory coast": "CIV", "macau": "MAC",
    "macedonia": "MKD", "palestine": "PSE", "russia": "RUS", "swaziland": "SWZ",
    "the netherlands": "NLD", "turkey": "TUR",
}
"""Names of countries as people write them, where ISO 3166-1 has another."""

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
    if code in IOC:
        return IOC[code]
    return code if pycountry.historic_countries.get(alpha_3=code) else None


@lru_cache(maxsize=1024)
def country(text: str) -> str | None:
    """The country a code of two or three letters or an English name stands for; none if unknown."""
    import pycountry

    found = nation(text)
    if found:
        return found
    word = text.strip()
    if len(word) == len("CZ"):
        entry = pycountry.countries.get(alpha_2=word.upper())
    else:
        entry = (
            pycountry.countries.get(name=word)
            or pycountry.countries.get(common_name=word)
            or pycountry.countries.get(official_name=word)
        )
    if entry:
        return str(entry.alpha_3)
    homes = {name.casefold(): code for code, name in SPORT.items()}
    return NAMES.get(word.casefold()) or homes.get(word.casefold())


def nation_in_column(text: str) -> str | None:
    """The nation that stands in a column of nations, as a code, a name or a sign; none if none.

    Only there is ``E`` Spain: in the brackets behind a name it may be anything.
    """
    return SIGNS.get(text.strip().upper()) or country(text)


def remedy(text: str) -> str:
    """What to write in the place of a code we do not know."""
    meant = country(text)
    if meant:
        return msg("Write %(code)s.", code=meant)
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
