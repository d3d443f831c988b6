"""Scenario files that cannot be run, each with what its message has to say."""

from __future__ import annotations

from dataclasses import dataclass, field

from kcmab_abm.catalogue.registry import POLICIES, some_of

ARMS = '{ law = "bernoulli", means = [0.9, 0.1] }'
UCB = '[[policy]]\nname = "ucb"'
EPSILON = '[[policy]]\nname = "modified-epsilon-greedy"\nepsilon = '


def text(head: str = "horizon = 20", arms: str = ARMS, more: str = "", policy: str = UCB) -> str:
    """A scenario file, fine unless a part of it is replaced."""
    return f"{head}\n[market]\narms = {arms}\n{more}\n{policy}\n"


@dataclass(frozen=True)
class Broken:
    """A file, what its message must contain, and the files that lie beside it.

    `schema` tells whether a JSON Schema can see the fault.
    """

    name: str
    content: str | bytes
    fragments: tuple[str, ...]
    beside: dict[str, bytes] = field(default_factory=dict)
    schema: bool = True

    @property
    def data(self) -> bytes:
        """The file as it lies on the disk."""
        return self.content.encode() if isinstance(self.content, str) else self.content


def raw(name: str, content: str | bytes, *fragments: str) -> Broken:
    """A file that is not even TOML."""
    return Broken(name, content, fragments, schema=False)


def top(name: str, line: str, *fragments: str, schema: bool = True) -> Broken:
    """A fault on the first level."""
    head = line if line.startswith("horizon") else f"horizon = 20\n{line}"
    return Broken(name, text(head=head), fragments, schema=schema)


def market(name: str, line: str, *fragments: str, schema: bool = True) -> Broken:
    """A fault in the market, arms apart."""
    return Broken(name, text(more=line), fragments, schema=schema)


def arms(name: str, arms: str, *fragments: str, schema: bool = True) -> Broken:
    """A fault in the arms."""
    return Broken(name, text(arms=arms), fragments, schema=schema)


def bernoulli(name: str, settings: str, *fragments: str, schema: bool = True) -> Broken:
    """A fault in Bernoulli arms."""
    return arms(name, f'{{ law = "bernoulli", {settings} }}', *fragments, schema=schema)


def policy(name: str, policy: str, *fragments: str, schema: bool = True) -> Broken:
    """A fault in the policies."""
    return Broken(name, text(policy=policy), fragments, schema=schema)


def inline(name: str, value: str, *fragments: str) -> Broken:
    """Policies given as a value and not as tables."""
    return Broken(name, text(head=f"horizon = 20\npolicy = {value}", policy=""), fragments)


def purse(name: str, lines: str, *fragments: str, schema: bool = True) -> Broken:
    """A fault in the purse."""
    return Broken(name, text(policy=f"[purse]\n{lines}\n{UCB}"), fragments, schema=schema)


def offer(name: str, rule: str, *fragments: str, schema: bool = True) -> Broken:
    """A fault in how offers are made."""
    return purse(name, f"offer = {{ {rule} }}", *fragments, schema=schema)


def change(name: str, settings: str, *fragments: str, schema: bool = True) -> Broken:
    """A fault in how arms change."""
    return market(name, f"change = {{ {settings} }}", *fragments, schema=schema)


def line(name: str, lines: str, *fragments: str, schema: bool = True) -> Broken:
    """A fault in lines before arms that take some time to serve a customer."""
    return market(name, f"service_time = 1\n{lines}", *fragments, schema=schema)


def customers(name: str, settings: str, *fragments: str, schema: bool = True) -> Broken:
    """A fault in what the customers are like."""
    return market(name, f"customers = {{ {settings} }}", *fragments, schema=schema)


def mixture(name: str, kinds: str, *fragments: str, schema: bool = True) -> Broken:
    """A fault in a mixture of customers."""
    return customers(name, f'behaviour = "mixture", of = {kinds}', *fragments, schema=schema)


def social(name: str, settings: str, *fragments: str, schema: bool = True) -> Broken:
    """A fault in a network of customers."""
    return customers(name, f'behaviour = "social", {settings}', *fragments, schema=schema)


def measure(name: str, settings: str, *fragments: str, schema: bool = True) -> Broken:
    """A fault in what is counted."""
    return top(name, f"measures = {{ {settings} }}", *fragments, schema=schema)


def precision(name: str, settings: str, *fragments: str, schema: bool = True) -> Broken:
    """A fault in how precise something has to be."""
    return top(name, f"precision = {{ {settings} }}", *fragments, schema=schema)


def trace(name: str, content: bytes | None, *fragments: str) -> Broken:
    """Arrivals read from a file that is no good."""
    arrivals = 'arrivals = { process = "trace", file = "times.txt" }'
    beside = {} if content is None else {"times.txt": content}
    fragments = ("market.arrivals.file: ", "times.txt': ", *fragments)
    return Broken(name, text(more=arrivals), fragments, beside, schema=False)


def table(name: str, content: bytes, *fragments: str, settings: str = "") -> Broken:
    """Arms read from a file that is no good."""
    settings = settings or 'arm = "product", reward = "rating", range = [1, 5]'
    arms = f'{{ law = "empirical", file = "log.csv", {settings} }}'
    fragments = ("market.arms: ", "log.csv': ", *fragments)
    return Broken(name, text(arms=arms), fragments, {"log.csv": content}, schema=False)


def column(name: str, content: bytes, *fragments: str) -> Broken:
    """Arrivals read from a column that is no good."""
    arrivals = 'arrivals = { process = "trace", file = "log.csv", time = "when" }'
    fragments = ("market.arrivals.file: ", "log.csv': ", *fragments)
    return Broken(name, text(more=arrivals), fragments, {"log.csv": content}, schema=False)


FILES = [
    raw("prose", "Dear simulator, please run ucb", "not TOML", "line 1, column"),
    raw("json", '{"horizon": 100}', "not TOML", "line 1, column 1"),
    raw("yaml", "horizon: 100\n", "not TOML", "line 1, column 8"),
    raw("open string", 'title = "never closed\n' + text(), "not TOML", "line 1, column"),
    raw("open list", text() + "x = [1, 2", "not TOML: Unclosed array"),
    raw("no value", "horizon =\n", "not TOML: Invalid value", "line 1, column 10"),
    raw("key twice", "horizon = 1\nhorizon = 2\n", "not TOML: Cannot overwrite", "line 2"),
    raw("table twice", text(more="[market]"), "not TOML", "market", "twice", "line 4"),
    raw("table and array", text(policy=f"[policy]\n{UCB}"), "not TOML", "line 6"),
    raw("latin-1", 'title = "Z\xfcrich"\n'.encode("latin-1"), "not UTF-8 text (byte 10)"),
    raw("utf-16", text().encode("utf-16"), "not UTF-8 text (byte 0); save it as UTF-8"),
    raw("NUL byte", text().encode() + b"\0", "not TOML", "line 7, column 1"),
    raw("binary", bytes(range(256)), "not UTF-8 text (byte 128)"),
    raw("nested too deeply", "x = " + "[" * 20_000, "not a scenario: nested too deeply"),
    raw(
        "key of many parts",
        f"horizon = 20\n{'a.' * 100_000}a = 1",
        "not a scenario: a key in it (line 2) has more than 20 parts",
    ),
    raw(
        "key of many quoted parts",
        "x = { " + '"a b" . ' * 100_000 + "a = 1 }",
        "not a scenario: a key in it (line 1) has more than 20 parts",
    ),
    raw("large file", "#" * 2_000_001, "must be at most 2,000,000 bytes, got 2,000,001"),
    raw(
        "5000 digits in hexadecimal",
        text(more="customers = { behaviour = 0x" + "f" * 5000 + " }"),
        "not a scenario: a number in it has thousands of digits",
    ),
    raw("5000 digits", "horizon = " + "9" * 5000, "a number in it has thousands of digits"),
]

TOP = [
    Broken("empty", "", ("horizon: required", "market: required", "policy: required")),
    Broken("horizon missing", text(head=""), ("horizon: required, but missing",)),
    top("horizon 0", "horizon = 0", "horizon: must be >= 1, got 0"),
    top("horizon negative", "horizon = -5", "horizon: must be >= 1, got -5"),
    top("horizon 10.5", "horizon = 10.5", "horizon: must be a whole number, got 10.5"),
    top("horizon text", 'horizon = "10"', "horizon: must be a whole number, got '10'"),
    top("horizon bool", "horizon = true", "horizon: must be a whole number, got True"),
    top("horizon inf", "horizon = inf", "horizon: must be a whole number, got inf"),
    top("horizon date", "horizon = 2018-01-01", "horizon: must be a whole number, got 2018-01-01"),
    top("horizon list", "horizon = [1]", "horizon: must be a whole number, got [1]"),
    top("horizon table", "horizon = {}", "horizon: must be a whole number, got a table"),
    top("horizon huge", f"horizon = {10**30}", "horizon: must be <= 100000000000, got 1000000"),
    top("replications 0", "replications = 0", "replications: must be >= 1, got 0"),
    top("replications 1.5", "replications = 1.5", "replications: must be a whole number, got 1.5"),
    top("replications huge", f"replications = {10**12}", "replications: must be <= 100000000, got"),
    top("replications text", "replications = 'many'", "replications: must be a whole", "'many'"),
    top("seed negative", "seed = -1", "seed: must be >= 0, got -1"),
    top("seed 2**63", f"seed = {2**63}", f"seed: must be <= {2**63 - 1}, got {2**63}"),
    top("seed text", 'seed = "lucky"', "seed: must be a whole number, got 'lucky'"),
    top("title number", "title = 7", "title: must be a text in quotes, got 7"),
    top("title long", f'title = "{"a" * 300}"', "title: must be a text of at most 200 characters"),
    top(
        "title with an escape",
        r'title = "a\u001b[31mred"',
        r"title: must be one line without control characters, got '\x1b' in 'a\x1b[31mred'",
        schema=False,
    ),
    top(
        "title of two lines",
        r'title = "a\nb"',
        r"title: must be one line",
        r"got '\n'",
        schema=False,
    ),
    top("title reversed", r'title = "\u202ea"', r"title: must be", r"got '\u202e'", schema=False),
    top("title formula", "title = '=1+1'", "title: must not begin with '='", schema=False),
    top("unknown near", "horizont = 8", "no setting 'horizont'. Did you mean 'horizon'?"),
    top("unknown far", "zzz = 8", "zzz: no setting 'zzz'. Choose one of: title, horizon, repl"),
    top("unknown empty", '"" = 8', "'': no setting ''. Choose one of: title, horizon"),
    top("unknown with newline", r'"a\nb" = 8', r"'a\nb': no setting 'a\nb'. Choose one of: title"),
    Broken(
        "policies in the plural",
        text(policy=UCB.replace("policy", "policies")),
        ("policy: required, but missing", "policies: no setting", "Did you mean 'policy'?"),
    ),
]

MARKET = [
    Broken("market missing", f"horizon = 9\n{UCB}", ("market: required, but missing",)),
    Broken(
        "market list", f"horizon = 9\nmarket = [1]\n{UCB}", ("market: must be a table, got [1]",)
    ),
    Broken("market tables", text().replace("[market]", "[[market]]"), ("market: must be a table",)),
    Broken(
        "market text", f"horizon = 9\nmarket = 'big'\n{UCB}", ("market: must be a table, got 'b",)
    ),
    Broken(
        "market empty", f"horizon = 9\n[market]\n{UCB}", ("market.arms: required, but missing",)
    ),
    market("setting unknown", "tie = 1", "market.tie: no setting 'tie'. Did you mean 'ties'?"),
    market("ties unknown", 'ties = "coin"', "market.ties: must be 'random' or 'first', got 'coin'"),
    market("ties number", "ties = 1", "market.ties: must be 'random' or 'first', got 1"),
    market("cost negative", "seeding_cost = -0.5", "market.seeding_cost: must be >= 0, got -0.5"),
    market("cost inf", "seeding_cost = inf", "market.seeding_cost: must be a finite number"),
    market(
        "cost huge", "seeding_cost = 1e308", "market.seeding_cost: must be <= 1e+12, got 1e+308"
    ),
    market("cost text", 'seeding_cost = "1"', "market.seeding_cost: must be a number, got '1'"),
    market(
        "probability 0", "report_probability = 0", "market.report_probability: must be > 0, got 0"
    ),
    market(
        "probability 2", "report_probability = 2", "market.report_probability: must be <= 1, got 2"
    ),
    market(
        "probability bool", "report_probability = true", "probability: must be a number, got True"
    ),
    market("delay negative", "report_delay = -1", "market.report_delay: must be >= 0, got -1"),
    market("delay nan", "report_delay = nan", "delay: must be a finite number", schema=False),
    market(
        "delay text", 'report_delay = "long"', "market.report_delay: must be a number, got 'long'"
    ),
    market("delay list", "report_delay = [1]", "market.report_delay: must be a number, got [1]"),
    market(
        "delay law unknown",
        'report_delay = { law = "exponental", mean = 1 }',
        "market.report_delay.law: no law 'exponental'. Did you mean 'exponential'?",
    ),
    market(
        "delay law missing",
        "report_delay = { mean = 1 }",
        "market.report_delay.law: required, but missing",
    ),
    market(
        "delay law number",
        "report_delay = { law = 3 }",
        "market.report_delay.law: must be a text in quotes",
        "one of: constant, exponential, uniform; got 3",
    ),
    market(
        "delay mean 0",
        'report_delay = { law = "exponential", mean = 0 }',
        "market.report_delay.mean: must be > 0, got 0",
    ),
    market(
        "delay mean missing",
        'report_delay = { law = "exponential" }',
        "market.report_delay.mean: required, but missing",
    ),
    market(
        "service negative",
        'service_time = { law = "constant", value = -1 }',
        "market.service_time.value: must be >= 0, got -1",
    ),
    market(
        "service low > high",
        'service_time = { law = "uniform", low = 2, high = 1 }',
        "market.service_time: low must be <= high, got 2.0 and 1.0",
        schema=False,
    ),
    market(
        "service setting unknown",
        'service_time = { law = "uniform", low = 1, high = 2, mid = 1 }',
        "market.service_time.mid: no setting 'mid'. Choose one of: law, low, high",
    ),
    market(
        "customers text", "customers = 'greedy'", "market.customers: must be a table, got 'greedy'"
    ),
    market("customers list", "customers = [1]", "market.customers: must be a table, got [1]"),
    market(
        "behaviour unknown",
        'customers = { behaviour = "gredy" }',
        "market.customers.behaviour: no behaviour 'gredy'. Did you mean 'greedy'?",
    ),
    market(
        "behaviour missing",
        "customers = { tau = 1.0 }",
        "market.customers.behaviour: required, but missing",
    ),
    market(
        "behaviour number",
        "customers = { behaviour = 1 }",
        "market.customers.behaviour: must be a text in quotes, one of: ",
        "greedy, ",
        "got 1",
    ),
    market(
        "behaviour setting unknown",
        'customers = { behaviour = "logit", tua = 1.0 }',
        "market.customers.tua: no setting 'tua'. Did you mean 'tau'?",
    ),
    market(
        "behaviour setting negative",
        'customers = { behaviour = "logit", tau = -1 }',
        "market.customers.tau: must be >= 0, got -1",
    ),
    market("arrivals text", "arrivals = 'slots'", "market.arrivals: must be a table, got 'slots'"),
    market("arrivals empty", "arrivals = {}", "market.arrivals.process: required, but missing"),
    market(
        "arrivals unknown",
        'arrivals = { process = "poison" }',
        "market.arrivals.process: no arrival process 'poison'. Did you mean 'poisson'?",
    ),
    market(
        "arrivals rate 0",
        'arrivals = { process = "poisson", rate = 0 }',
        "market.arrivals.rate: must be >= 1e-12, got 0",
    ),
    market(
        "arrivals rate inf",
        'arrivals = { process = "poisson", rate = inf }',
        "market.arrivals.rate: must be a finite number, got inf",
    ),
    market(
        "arrivals setting unknown",
        'arrivals = { process = "slots", rate = 1 }',
        "market.arrivals.rate: no setting 'rate'. Choose one of: process",
    ),
    market(
        "trace unnamed",
        'arrivals = { process = "trace" }',
        "market.arrivals.file: required, but missing",
    ),
    market(
        "trace name empty",
        'arrivals = { process = "trace", file = "" }',
        "market.arrivals.file: must be a text of 1 or more characters, got ''",
    ),
    market(
        "trace name number",
        'arrivals = { process = "trace", file = 5 }',
        "market.arrivals.file: must be a text in quotes, got 5",
    ),
    market(
        "trace name with NUL",
        r'arrivals = { process = "trace", file = "a\u0000b" }',
        r"a\x00b': cannot be read",
        schema=False,
    ),
    market(
        "trace is a directory",
        'arrivals = { process = "trace", file = "." }',
        "market.arrivals.file: ",
        "is a directory; give a file",
        schema=False,
    ),
]

LAWS = [
    arms("arms number", "9", "market.arms: must be a table, got 9"),
    arms("arms text", '"bernoulli"', "market.arms: must be a table, got 'bernoulli'"),
    arms("arms empty", "[]", "market.arms: must be a list of 1 or more entries, got []"),
    arms("arms numbers", "[1, 2]", "arms[0]: must be a table, got 1", "arms[1]: must be a table"),
    arms("law missing", "{ means = [0.9] }", "market.arms.law: required, but missing"),
    arms(
        "law number", "{ law = 1 }", "market.arms.law: must be a text", "bernoulli, beta", "got 1"
    ),
    arms(
        "law near", '{ law = "bernouli" }', "market.arms.law: no law 'bernouli'. Did you mean 'bern"
    ),
    arms(
        "law far",
        f'[{ARMS}, {{ law = "gauss" }}]',
        "market.arms[1].law: no law 'gauss'. Choose one of: ",
        "bernoulli, beta, discrete",
    ),
    arms("means missing", '{ law = "bernoulli" }', "market.arms.means: required, but missing"),
    bernoulli(
        "means empty", "means = []", "market.arms.means: must be a list of 1 or more entries"
    ),
    bernoulli("means number", "means = 0.5", "market.arms.means: must be a list in [ ], got 0.5"),
    bernoulli("means text", "means = '0.5'", "market.arms.means: must be a list in [ ], got '0.5'"),
    bernoulli(
        "means of text", "means = [0, 'x']", "market.arms.means[1]: must be a number, got 'x'"
    ),
    bernoulli("mean 1.5", "means = [0, 1.5]", "market.arms.means[1]: must be <= 1, got 1.5"),
    bernoulli("mean -0.1", "means = [-0.1]", "market.arms.means[0]: must be >= 0, got -0.1"),
    bernoulli("mean nan", "means = [nan]", "market.arms.means[0]: must be a finite", schema=False),
    bernoulli(
        "mean inf", "means = [inf]", "market.arms.means[0]: must be a finite number, got inf"
    ),
    bernoulli("mean 1e400", "means = [1e400]", "means[0]: must be a finite number, got inf"),
    bernoulli("mean bool", "means = [true]", "market.arms.means[0]: must be a number, got True"),
    bernoulli(
        "law setting unknown",
        "means = [0.5], mean = 0.5",
        "market.arms.mean: no setting 'mean'. Did you mean 'means'?",
    ),
    bernoulli(
        "too many arms",
        f"means = {[0.5] * 10_001}",
        "market.arms: must be at most 10000 arms, got 10001",
        schema=False,
    ),
    arms(
        "mean in a list of laws",
        f'[{ARMS}, {{ law = "bernoulli", means = [0.5, 7] }}]',
        "market.arms[1].means[1]: must be <= 1, got 7",
    ),
    arms(
        "law setting unknown in a list of laws",
        '[{ law = "uniform", low = [0], high = [1], hihg = [1] }]',
        "market.arms[0].hihg: no setting 'hihg'. Did you mean 'high'?",
    ),
    arms(
        "beta by nothing",
        '{ law = "beta" }',
        "market.arms: give means and concentration, or alpha and beta; got neither",
        schema=False,
    ),
    arms(
        "beta by means alone",
        '{ law = "beta", means = [0.5] }',
        "market.arms: give means and concentration, or alpha and beta; got means",
        schema=False,
    ),
    arms(
        "beta in both ways",
        '{ law = "beta", means = [0.5], concentration = 2, alpha = [1], beta = [1] }',
        "market.arms: give means and concentration, or alpha and beta; got means and",
        schema=False,
    ),
    arms(
        "beta lengths",
        '{ law = "beta", alpha = [1, 2], beta = [1] }',
        "market.arms: alpha and beta must be equally long, got 2 and 1",
        schema=False,
    ),
    arms(
        "beta mean 1",
        '{ law = "beta", means = [1], concentration = 2 }',
        "market.arms.means[0]: must be < 1, got 1",
    ),
    arms(
        "beta alpha 0",
        '{ law = "beta", alpha = [0], beta = [1] }',
        "market.arms.alpha[0]: must be >= 0.001, got 0",
    ),
    arms(
        "beta beta 0",
        '[{ law = "beta", alpha = [1], beta = [0] }]',
        "market.arms[0].beta[0]: must be >= 0.001, got 0",
    ),
    arms(
        "beta concentration 0",
        '{ law = "beta", means = [0.5], concentration = 0 }',
        "market.arms.concentration: must be >= 0.01, got 0",
    ),
    arms(
        "uniform lengths",
        '{ law = "uniform", low = [0], high = [1, 1] }',
        "market.arms: low and high must be equally long, got 1 and 2",
        schema=False,
    ),
    arms(
        "uniform low > high",
        '{ law = "uniform", low = [0.7], high = [0.3] }',
        "market.arms: low must be <= high, got 0.7 and 0.3",
        schema=False,
    ),
    arms(
        "uniform high 2",
        '{ law = "uniform", low = [0.7], high = [2] }',
        "market.arms.high[0]: must be <= 1, got 2",
    ),
    arms(
        "discrete sum",
        '{ law = "discrete", values = [0, 1], probabilities = [[0.5, 0.4]] }',
        "market.arms: probabilities[0] must sum to 1, got 0.9",
        schema=False,
    ),
    arms(
        "discrete length",
        '{ law = "discrete", values = [0, 1], probabilities = [[1]] }',
        "market.arms: probabilities[0] must have one entry for each of the 2 values, got 1",
        schema=False,
    ),
    arms(
        "discrete order",
        '{ law = "discrete", values = [1, 0], probabilities = [[0.5, 0.5]] }',
        "market.arms: values must increase, got [1.0, 0.0]",
        schema=False,
    ),
    arms(
        "discrete value 2",
        '{ law = "discrete", values = [0, 2], probabilities = [[0.5, 0.5]] }',
        "market.arms.values[1]: must be <= 1, got 2",
    ),
    arms(
        "discrete not nested",
        '{ law = "discrete", values = [0, 1], probabilities = [0.5, 0.5] }',
        "market.arms.probabilities[0]: must be a list in [ ], got 0.5",
    ),
    arms(
        "discrete negative",
        '{ law = "discrete", values = [0, 1], probabilities = [[-1, 2]] }',
        "market.arms.probabilities[0][0]: must be >= 0, got -1",
        "market.arms.probabilities[0][1]: must be <= 1, got 2",
    ),
]

POLICIES = [
    policy("policy missing", "", "policy: required, but missing"),
    inline("policy empty", "[]", "policy: must be a list of 1 or more entries, got []"),
    inline("policy text", "'ucb'", "policy: must be tables that begin with [[policy]], got 'ucb'"),
    inline("policy texts", "['ucb']", "policy[0]: must be a table, got 'ucb'"),
    policy(
        "policy table",
        "[policy]\nname = 'ucb'",
        "policy: must be tables that begin with [[policy]]",
    ),
    policy("policy nameless", "[[policy]]", "policy[0].name: required, but missing"),
    policy(
        "policy number", "[[policy]]\nname = 1", "policy[0].name: must be a text", "ts, ", "got 1"
    ),
    policy(
        "policy near",
        f'{UCB}\n[[policy]]\nname = "modifed-ts"',
        "policy[1].name: no policy 'modifed-ts'. Did you mean 'modified-ts'?",
    ),
    policy(
        "policy far",
        '[[policy]]\nname = "zzz"',
        "policy[0].name: no policy 'zzz'. Choose one of: ",
        some_of(POLICIES.own_names()),
    ),
    policy(
        "policy setting near",
        EPSILON.replace("epsilon =", "epsilom =") + "1",
        "policy[0].epsilom: no setting 'epsilom'. Did you mean 'epsilon'?",
    ),
    policy(
        "policy setting of another",
        f"{UCB}\nepsilon = 1.0",
        "policy[0].epsilon: no setting 'epsilon'. Choose one of: name, label",
    ),
    policy("epsilon 0", f"{EPSILON}0", "policy[0].epsilon: must be > 0, got 0"),
    policy("epsilon negative", f"{EPSILON}-2.0", "policy[0].epsilon: must be > 0, got -2.0"),
    policy("epsilon nan", f"{EPSILON}nan", "policy[0].epsilon: must be a finite", schema=False),
    policy("epsilon inf", f"{EPSILON}inf", "epsilon: must be a finite number", schema=False),
    policy("epsilon text", f"{EPSILON}'20'", "policy[0].epsilon: must be a number, got '20'"),
    policy(
        "epsilon huge", f"{EPSILON}{10**400}", "policy[0].epsilon: must be a finite", schema=False
    ),
    policy("label number", f"{UCB}\nlabel = 1", "policy[0].label: must be a text in quotes, got 1"),
    policy("label empty", f"{UCB}\nlabel = ''", "policy[0].label: must be a text of 1 or more"),
    policy(
        "label long", f"{UCB}\nlabel = '{'a' * 81}'", "label: must be a text of at most 80 char"
    ),
    policy(
        "label with a bell",
        UCB + '\nlabel = "a\\u0007"',
        r"policy[0].label: must be one line without control characters, got '\x07'",
        schema=False,
    ),
    *(
        policy(
            f"label begins with {sign}",
            f"{UCB}\nlabel = '{sign}1+1'",
            f"policy[0].label: must not begin with '{sign}', which spreadsheets take for a formula",
            schema=False,
        )
        for sign in "=+-@\uff1d"
    ),
    policy(
        "label of wide letters",
        f"{UCB}\nlabel = '{chr(0x1F600) * 21}'",
        "policy[0].label: too long for the name of a folder (259 bytes with letters beyond a-z",
        "at most 255); give a shorter label",
        schema=False,
    ),
    precision(
        "label sought that is endless",
        f"measure = 'regret', half_width = 1.0, between = ['ucb', '{'a' * 9000}']",
        "precision.between: no policy labelled 'aaaaaaaaaaa",
        schema=False,
    ),
    policy(
        "labels equal",
        f'{UCB}\nlabel = "mine"\n{UCB}\nlabel = "mine"',
        "policy[1].label: 'mine' is already the label of policy[0]",
        "give each policy a label of its own",
        schema=False,
    ),
    policy(
        "labels equal by default",
        f"{UCB}\n{UCB}",
        "policy[1].label: 'ucb' is already the label of policy[0]",
        schema=False,
    ),
    policy(
        "labels with settings equal by default",
        f"{EPSILON}2\n{EPSILON}2.0",
        "policy[1].label: 'modified-epsilon-greedy (epsilon=2)' is already the label of policy[0]",
        schema=False,
    ),
    policy(
        "label equal to a default",
        f'{UCB}\n[[policy]]\nname = "ts"\nlabel = "ucb"',
        "policy[1].label: 'ucb' is already the label of policy[0]",
        schema=False,
    ),
]

TRACES = [
    trace("trace missing", None, "no such file"),
    trace("trace not numbers", b"1\n2\nthree\n", "line 3: must be one arrival time", "'three'"),
    trace("trace decreasing", b"1\n\n3\n2\n", "line 4: times must", "not decrease, got 2.0"),
    trace("trace negative", b"-1\n2\n", "line 1: times must be finite, >= 0", "got -1.0"),
    trace("trace nan", b"1\nnan\n", "line 2: times must be finite", "got nan"),
    trace("trace inf", b"1\ninf\n", "line 2: times must be finite", "got inf"),
    trace("trace two a line", b"1 2\n", "line 1: must be one arrival time, a number; got '1 2'"),
    trace("trace too short", b"1\n2\n3\n", "must hold at least 20 times (the horizon), got 3"),
    trace("trace empty", b"", "must hold at least 20 times (the horizon), got 0"),
    trace("trace not UTF-8", b"\xff\xfe1\n", "not UTF-8 text (byte 0); save it as UTF-8"),
    column("trace no column", b"time\n1\n", "no column 'when'. Choose one of: time"),
    column("trace column decreasing", b"when,a\n1,a\n0,a\n", "row 2: times must", "got 0.0"),
    column("trace column nan", b"when,a\n1,a\nnan,a\n", "row 2: 'when' must be a finite number"),
    column("trace column text", b"when,a\nMay,a\n", "row 1: 'when' must be a number, got 'May'"),
    column("trace column short", b"when,a\n1,a\n", "at least 20 times (the horizon), got 1"),
]

OBSERVED = [
    Broken(
        "observed missing",
        text(arms='{ law = "empirical", file = "log.csv", arm = "a", reward = "b" }'),
        ("market.arms: ", "log.csv': no such file"),
        schema=False,
    ),
    Broken(
        "observed second",
        text(arms=f'[{ARMS}, {{ law = "empirical", file = "log.csv", arm = "a", reward = "b" }}]'),
        ("market.arms[1]: ", "log.csv': no such file"),
        schema=False,
    ),
    table("observed empty", b"", "cannot be read: 'Empty CSV file'"),
    table("observed no rows", b"product,rating\n", "must have 1 to 20,000,000 rows, got 0"),
    table("observed ragged", b"product,rating\na\n", "cannot be read: 'CSV parse error"),
    table("observed not UTF-8", b"\xff\xfe1\n", "not UTF-8 text (byte 0); save it as UTF-8"),
    table("observed Parquet", b"PAR1, it says", "cannot be read: 'Parquet magic bytes not found"),
    table("observed near", b"product,ratin\na,1\n", "no column 'rating'. Did you mean 'ratin'?"),
    table("observed far", b"a,\x1b[31m\n1,1\n", r"no column 'product'. Choose one of: a, \x1b[31m"),
    table("observed twice", b"product,rating,rating\na,1,2\n", "one column 'rating', got 2"),
    table(
        "observed text", b"product,rating\na,1\na,x\n", "row 2: 'rating' must be a number", "'x'"
    ),
    table("observed nan", b"product,rating\na,nan\n", "row 1: 'rating' must be a finite number"),
    table("observed gap", b"product,rating\na,\n", "row 1: 'rating' must not be empty"),
    table("observed nobody", b"product,rating\n,2\n", "row 1: 'product' must not be empty"),
    table(
        "observed below", b"product,rating\na,0\n", "row 1: 'rating' must be in", "[1, 5], got 0"
    ),
    table("observed above", b"product,rating\na,1\na,6\n", "row 2: 'rating' must be in", "got 6"),
    table(
        "observed without range",
        b"a,b\nx,2\n",
        "row 1: 'b' must be in the range [0, 1], got 2",
        settings='arm = "a", reward = "b"',
    ),
    table(
        "observed fine",
        "\n".join(["product,rating", *(f"a,{1 + k / 5000}" for k in range(4097))]).encode(),
        "arm 'a' must have at most 4,096 different rewards, got 4,097; round 'rating'",
    ),
    table(
        "observed arms",
        "\n".join(["product,rating", *(f"{k},1" for k in range(10_001))]).encode(),
        "'product' must have at most 10,000 different values, got 10,001",
    ),
    arms(
        "observed range",
        '{ law = "empirical", file = "f", arm = "a", reward = "b", range = [5, 1] }',
        "market.arms: range must be a low and a higher number, got [5.0, 1.0]",
        schema=False,
    ),
    arms(
        "observed range of one",
        '{ law = "empirical", file = "f", arm = "a", reward = "b", range = [5] }',
        "market.arms.range: must be a list of 2 or more entries",
    ),
    arms(
        "observed one column",
        '{ law = "empirical", file = "f", arm = "a", reward = "a" }',
        "market.arms: arm and reward must be two columns, got 'a' twice",
        schema=False,
    ),
]

PURSES = [
    Broken(
        "purse list", text(head="horizon = 20\npurse = [1]"), ("purse: must be a table, got [1]",)
    ),
    purse(
        "purse setting near", "budgte = 1", "purse.budgte: no setting 'budgte'.", "mean 'budget'?"
    ),
    purse("budget negative", "budget = -1", "purse.budget: must be >= 0, got -1"),
    purse("budget inf", "budget = inf", "purse.budget: must be a finite number, got inf"),
    purse("budget nan", "budget = nan", "purse.budget: must be a finite number", schema=False),
    purse("budget huge", "budget = 1e13", "purse.budget: must be <= 1e+12, got 10000000000000.0"),
    purse("budget text", "budget = '9'", "purse.budget: must be a number, got '9'"),
    purse("cap negative", "cap = -0.5", "purse.cap: must be >= 0, got -0.5"),
    purse("cap bool", "cap = true", "purse.cap: must be a number, got True"),
    purse(
        "period without budget",
        "period = 5",
        "purse.period_budget: required with period, but missing",
        schema=False,
    ),
    purse(
        "budget without period",
        "period_budget = 5",
        "purse.period: required with period_budget, but missing",
        schema=False,
    ),
    purse("period 0", "period = 0\nperiod_budget = 1", "purse.period: must be >= 1, got 0"),
    purse("period 1.5", "period = 1.5\nperiod_budget = 1", "purse.period: must be a whole number"),
    purse(
        "period budget negative",
        "period = 5\nperiod_budget = -1",
        "purse.period_budget: must be >= 0, got -1",
    ),
    purse(
        "when short", 'when_short = "rest"', "purse.when_short: must be 'refuse' or 'pay-rest', got"
    ),
    purse("also negative", "also = -1", "purse.also: must be >= 0, got -1"),
    purse("also 1.5", "also = 1.5", "purse.also: must be a whole number, got 1.5"),
    purse("fees in words", "fees = 'yes'", "purse.fees: must be true or false, got 'yes'"),
    purse(
        "knows too much", "knows = 'all'", "purse.knows: must be 'book' or 'customers', got 'all'"
    ),
    purse("misjudgement negative", "misjudgement = -1", "purse.misjudgement: must be >= 0, got -1"),
    purse("offer text", "offer = 'least'", "purse.offer: must be a table, got 'least'"),
    purse("offer empty", "offer = {}", "purse.offer.rule: required, but missing"),
    offer(
        "rule near", "rule = 'leest'", "purse.offer.rule: no pricing rule 'leest'.", "mean 'least'?"
    ),
    offer(
        "rule far",
        "rule = 'zzz'",
        "purse.offer.rule: no pricing rule 'zzz'. Choose one of: ",
        "fixed-margin, learned-margin, least, proportional-margin",
    ),
    offer("rule number", "rule = 1", "purse.offer.rule: must be a text in quotes", "got 1"),
    offer(
        "rule setting near",
        "rule = 'fixed-margin', margn = 1",
        "purse.offer.margn: no setting 'margn'. Did you mean 'margin'?",
    ),
    offer(
        "rule setting of another",
        "rule = 'least', margin = 1",
        "purse.offer.margin: no setting 'margin'. Choose one of: rule",
    ),
    offer(
        "margin negative",
        "rule = 'fixed-margin', margin = -1",
        "purse.offer.margin: must be >= 0, got -1",
    ),
    offer(
        "share below -1",
        "rule = 'proportional-margin', share = -2",
        "purse.offer.share: must be >= -1, got -2",
    ),
    offer("goal 1", "rule = 'learned-margin', goal = 1", "purse.offer.goal: must be < 1, got 1"),
]

CHANGES = [
    Broken(
        "change of uniform arms",
        text(
            arms='{ law = "uniform", low = [0], high = [1] }',
            more='change = { kind = "random-walk", step = 0.1 }',
        ),
        ("market.change: arms of law uniform cannot change; use bernoulli, beta",),
        schema=False,
    ),
    market("change text", "change = 'walk'", "market.change: must be a table, got 'walk'"),
    market("change empty", "change = {}", "market.change.kind: required, but missing"),
    change(
        "change near",
        "kind = 'random-wlak'",
        "market.change.kind: no kind of change 'random-wlak'. Did you mean 'random-walk'?",
    ),
    change(
        "change number",
        "kind = 2",
        "market.change.kind: must be a text in quotes, one of: piecewise, random-walk, seasonal",
        "got 2",
    ),
    change(
        "change setting near",
        "kind = 'random-walk', step = 0.1, hihg = 1",
        "market.change.hihg: no setting 'hihg'. Did you mean 'high'?",
    ),
    change("walk without step", "kind = 'random-walk'", "market.change.step: required, but miss"),
    change("step 0", "kind = 'random-walk', step = 0", "market.change.step: must be > 0, got 0"),
    change("step 0.3", "kind = 'random-walk', step = 0.3", "step: must be <= 0.25, got 0.3"),
    change(
        "walls too near",
        "kind = 'random-walk', step = 0.1, low = 0.1, high = 0.2",
        "market.change: high - low must be at least 2 step = 0.2, got 0.1 and 0.2",
        schema=False,
    ),
    change(
        "arm outside of the walls",
        "kind = 'random-walk', step = 0.1, low = 0.2",
        "market.change: arm 1 begins at 0.1, outside the walls 0.2 and 1; move the arm or the",
        schema=False,
    ),
    change(
        "wall below 0",
        "kind = 'random-walk', step = 0.1, low = -1",
        "market.change.low: must be >= 0, got -1",
    ),
    change(
        "jump at the first customer",
        "kind = 'piecewise', at = [1], means = [[0.1, 0.2]]",
        "market.change.at[0]: must be >= 2, got 1",
    ),
    change(
        "no jumps",
        "kind = 'piecewise', at = [], means = []",
        "market.change.at: must be a list of 1 or more entries, got []",
        "market.change.means: must be a list of 1 or more entries, got []",
    ),
    change(
        "jumps not increasing",
        "kind = 'piecewise', at = [7, 5], means = [[0.1, 0.2], [0.1, 0.2]]",
        "market.change.at: must increase, got [7, 5]",
        schema=False,
    ),
    change(
        "jumps twice at once",
        "kind = 'piecewise', at = [5, 5], means = [[0.1, 0.2], [0.1, 0.2]]",
        "market.change.at: must increase, got [5, 5]",
        schema=False,
    ),
    change(
        "jumps without means",
        "kind = 'piecewise', at = [5, 9], means = [[0.1, 0.2]]",
        "market.change.means: must have a list for each of the 2 entries of at, got 1",
        schema=False,
    ),
    change(
        "jumps of too few arms",
        "kind = 'piecewise', at = [5], means = [[0.1]]",
        "market.change.means[0]: must have one entry for each of the 2 arms, got 1",
        schema=False,
    ),
    change(
        "jump beyond 1",
        "kind = 'piecewise', at = [5], means = [[0.1, 1.5]]",
        "market.change.means[0][1]: must be <= 1, got 1.5",
    ),
    change(
        "jumps not nested",
        "kind = 'piecewise', at = [5], means = [0.1, 0.5]",
        "market.change.means[0]: must be a list in [ ], got 0.1",
    ),
    Broken(
        "beta jumps to 1",
        text(
            arms='{ law = "beta", means = [0.5], concentration = 2 }',
            more='change = { kind = "piecewise", at = [5], means = [[1.0]] }',
        ),
        ("market.change.means[0][0]: must be from 0.001 to 0.999 for arms of this law, got 1",),
        schema=False,
    ),
    change(
        "swing beyond 1",
        "kind = 'seasonal', amplitude = 2, period = 5",
        "market.change.amplitude: must be <= 1, got 2",
    ),
    change(
        "season of one",
        "kind = 'seasonal', amplitude = 0.1, period = 1",
        "market.change.period: must be >= 2, got 1",
    ),
    change(
        "phases of too few arms",
        "kind = 'seasonal', amplitude = 0.1, period = 5, phases = [0.1]",
        "market.change.phases: must have one entry for each of the 2 arms, got 1",
        schema=False,
    ),
    change(
        "phases of no arm",
        "kind = 'seasonal', amplitude = 0.1, period = 5, phases = []",
        "market.change.phases: must have one entry for each of the 2 arms, got 0",
        schema=False,
    ),
    change(
        "phase 2",
        "kind = 'seasonal', amplitude = 0.1, period = 5, phases = [0.1, 2]",
        "market.change.phases[1]: must be <= 1, got 2",
    ),
]

LINES = [
    line("capacity 0", "capacity = 0", "market.capacity: must be >= 1, got 0"),
    line("capacity text", "capacity = '2'", "market.capacity: must be a whole number, got '2'"),
    line("capacity 1.5", "capacity = 1.5", "market.capacity: must be a whole number, got 1.5"),
    line(
        "capacity huge", f"capacity = {10**30}", "market.capacity: must be <= 100000000000, got 10"
    ),
    line("capacity table", "capacity = {}", "market.capacity: must be a whole number, got a table"),
    line("capacity empty", "capacity = []", "market.capacity: must be a list of 1 or more entries"),
    line("capacity of an arm 0", "capacity = [1, 0]", "market.capacity[1]: must be >= 1, got 0"),
    line(
        "capacity of three arms",
        "capacity = [1, 2, 3]",
        "market.capacity: must have one entry for each of the 2 arms, got 3",
        schema=False,
    ),
    market(
        "capacity without service",
        "capacity = 1",
        "market.capacity: needs a service_time > 0, or no arm is ever busy",
        schema=False,
    ),
    market(
        "capacity with a service of 0",
        'capacity = 1\nservice_time = { law = "constant", value = 0 }',
        "market.capacity: needs a service_time > 0, or no arm is ever busy",
        schema=False,
    ),
    line(
        "patience without capacity",
        "patience = 2",
        "market.patience: needs a capacity, and there is none",
        schema=False,
    ),
    line(
        "leaving without capacity",
        'when_full = "leave"',
        "market.when_full: needs a capacity, and there is none",
        schema=False,
    ),
    line(
        "patience of those who leave",
        'capacity = 1\npatience = 2\nwhen_full = "leave"',
        "market.patience: is for customers who wait, so when_full must be 'wait'",
        schema=False,
    ),
    line("patience negative", "capacity = 1\npatience = -1", "market.patience: must be >= 0, got"),
    line(
        "patience law near",
        'capacity = 1\npatience = { law = "constnat", value = 1 }',
        "market.patience.law: no law 'constnat'. Did you mean 'constant'?",
    ),
    line(
        "patience low > high",
        'capacity = 1\npatience = { law = "uniform", low = 2, high = 1 }',
        "market.patience: low must be <= high, got 2.0 and 1.0",
        schema=False,
    ),
    line(
        "when full unknown",
        'capacity = 1\nwhen_full = "stay"',
        "market.when_full: must be 'wait', 'switch' or 'leave', got 'stay'",
    ),
]

CUSTOMERS = [
    customers(
        "mixture of what", "behaviour = 'mixture'", "market.customers.of: required, but missing"
    ),
    mixture("mixture of none", "[]", "market.customers.of: must be a list of 1 or more entries"),
    mixture("mixture of text", "'greedy'", "market.customers.of: must be a list in [ ], got 'gree"),
    mixture("mixture of texts", "['greedy']", "market.customers.of[0]: must be a table, got 'gree"),
    mixture(
        "mixture of too many",
        "[" + "{ behaviour = 'greedy' }, " * 21 + "]",
        "market.customers.of: must be a list of at most 20 entries, got [{'behaviour'",
    ),
    mixture(
        "mixture of an unknown kind",
        "[{ behaviour = 'greedy' }, { behaviour = 'lgit' }]",
        "market.customers.of[1].behaviour: no behaviour 'lgit'. Did you mean 'logit'?",
    ),
    mixture(
        "mixture of a nameless kind",
        "[{ weight = 1 }]",
        "market.customers.of[0].behaviour: required, but missing",
    ),
    mixture(
        "mixture of mixtures",
        "[{ behaviour = 'mixture', of = [{ behaviour = 'greedy' }] }]",
        "market.customers.of[0].behaviour: no behaviour 'mixture'. Choose one of: ",
        "greedy, informed, logit",
    ),
    mixture(
        "mixture with a negative weight",
        "[{ behaviour = 'greedy', weight = -1 }]",
        "market.customers.of[0].weight: must be >= 0, got -1",
    ),
    mixture(
        "mixture without any weight",
        "[{ behaviour = 'greedy', weight = 0 }, { behaviour = 'logit', weight = 0.0 }]",
        "market.customers.of: must have a weight > 0, got only 0",
        schema=False,
    ),
    mixture(
        "mixture with an unknown setting",
        "[{ behaviour = 'logit', tua = 1 }]",
        "market.customers.of[0].tua: no setting 'tua'. Did you mean 'tau'?",
    ),
    mixture(
        "mixture with a bad setting",
        "[{ behaviour = 'greedy' }, { behaviour = 'logit', tau = -1 }]",
        "market.customers.of[1].tau: must be >= 0, got -1",
    ),
    mixture(
        "mixture with a bad network",
        "[{ behaviour = 'greedy' }, { behaviour = 'social', neighbours = 3 }]",
        "market.customers: neighbours must be even",
        schema=False,
    ),
    customers(
        "mixture with a setting of its kind",
        "behaviour = 'mixture', tau = 1, of = [{ behaviour = 'logit' }]",
        "market.customers.tau: no setting 'tau'. Choose one of: behaviour, of",
    ),
    customers(
        "weight of all",
        "behaviour = 'greedy', weight = 1",
        "market.customers.weight: no setting 'weight'. Choose one of: behaviour",
    ),
    social(
        "neighbours odd",
        "neighbours = 3",
        "market.customers: neighbours must be even and less than the 100 people",
        "got 3",
        schema=False,
    ),
    social(
        "neighbours too many",
        "people = 4, neighbours = 4",
        "market.customers: neighbours must be even and less than the 4 people",
        "got 4",
        schema=False,
    ),
    social(
        "graph unknown",
        "graph = 'rong'",
        "market.customers.graph: must be 'complete', 'ring', 'small-world', 'scale-free' or 'edg",
        "got 'rong'",
    ),
    social(
        "graph without edges",
        "graph = 'edges'",
        "market.customers: edges must be given if, and only if, graph = 'edges'; ",
        "got graph = 'edges' and no edges",
        schema=False,
    ),
    social(
        "edges without graph",
        "edges = [[0, 1]]",
        "market.customers: edges must be given if, and only if, graph = 'edges'; ",
        "got graph = 'small-world' and edges",
        schema=False,
    ),
    social(
        "edges with strangers",
        "graph = 'edges', people = 3, edges = [[0, 1], [0, 7]]",
        "market.customers: edges must connect people 0..2 (people = 3), got [0, 7]",
        schema=False,
    ),
    social(
        "edge of three",
        "graph = 'edges', edges = [[0, 1, 2]]",
        "market.customers.edges[0]: must be a list of at most 2 entries, got [0, 1, 2]",
    ),
    social(
        "edge of one",
        "graph = 'edges', edges = [[0]]",
        "market.customers.edges[0]: must be a list of 2 or more entries, got [0]",
    ),
    social(
        "edge below 0",
        "graph = 'edges', edges = [[0, -1]]",
        "market.customers.edges[0][1]: must be >= 0, got -1",
    ),
    social("people 1", "people = 1", "market.customers.people: must be >= 2, got 1"),
    social(
        "neighbours without end",
        "people = 10000, neighbours = 9998",
        "market.customers: a small-world graph of 10000 people has 99,980,000 links; at most",
        "use fewer people or fewer neighbours",
        schema=False,
    ),
    social(
        "no strangers left",
        "people = 700, neighbours = 698",
        "market.customers: a small world of 700 people with 698 neighbours leaves too few",
        schema=False,
    ),
    social(
        "everybody knows ten thousand",
        "people = 10000, graph = 'complete'",
        "market.customers: a complete graph of 10000 people has 100,000,000 links; at most 500,000",
        schema=False,
    ),
    customers(
        "theta tiny",
        "behaviour = 'self-reinforcing', theta = 1e-300",
        "market.customers.theta: must be >= 1e-09, got 1e-300",
    ),
    customers(
        "outcomes of one arm",
        "behaviour = 'features', outcomes = [[0.1, 0.2]]",
        "market.customers: outcomes must have 2 numbers (features) for each of the 2 arms, got 1 ",
        schema=False,
    ),
    customers(
        "outcomes of different lengths",
        "behaviour = 'features', outcomes = [[0.1, 0.2], [0.1]]",
        "for each of the 2 arms, got 2 lists of lengths [1, 2]",
        schema=False,
    ),
    customers(
        "outcome beyond 1",
        "behaviour = 'features', outcomes = [[0.1, 2], [0.1, 0.2]]",
        "market.customers.outcomes[0][1]: must be <= 1, got 2",
    ),
    customers(
        "window negative",
        "behaviour = 'recency', window = -1",
        "market.customers.window: must be >= 0, got -1",
    ),
    customers(
        "window 5.5",
        "behaviour = 'recency', window = 5.5",
        "market.customers.window: must be a whole number, got 5.5",
    ),
    Broken(
        "window too large for the memory",
        text(
            arms=f'{{ law = "bernoulli", means = {[0.5] * 300} }}',
            more='customers = { behaviour = "recency", window = 100000 }',
        ),
        ("market.customers: 'recency' would remember 30,001,200 numbers", "at most 20,000,000 are"),
        schema=False,
    ),
    customers(
        "clip 1",
        "behaviour = 'drifted-feedback', clip = 1",
        "market.customers.clip: must be true or false, got 1",
    ),
    customers(
        "clip text",
        "behaviour = 'drifted-feedback', clip = 'yes'",
        "market.customers.clip: must be true or false, got 'yes'",
    ),
]

REGRET = 'measure = "regret"'
PRECISIONS = [
    top("precision number", "precision = 0.5", "precision: must be a table, got 0.5"),
    precision("precision of nothing", "half_width = 1", "precision.measure: required, but missing"),
    precision(
        "precision of what",
        'measure = "pulls", half_width = 1',
        "precision.measure: no measure 'pulls'. Choose one of: regret, realised_regret, ",
        "compensation, dynamic_regret",
        schema=False,
    ),
    precision(
        "precision misspelt",
        f"{REGRET}, half_witdh = 1",
        "precision.half_witdh: no setting 'half_witdh'. Did you mean 'half_width'?",
    ),
    precision(
        "precision not at all",
        REGRET,
        "precision: give half_width or relative, got neither",
        schema=False,
    ),
    precision(
        "precision in two ways",
        f"{REGRET}, half_width = 1, relative = 0.1",
        "precision: give half_width or relative, got both",
        schema=False,
    ),
    precision(
        "half_width 0", f"{REGRET}, half_width = 0", "precision.half_width: must be > 0, got 0"
    ),
    precision(
        "half_width nan",
        f"{REGRET}, half_width = nan",
        "precision.half_width: must be a finite number",
        schema=False,
    ),
    precision("relative 2", f"{REGRET}, relative = 2", "precision.relative: must be <= 1, got 2"),
    precision(
        "relative text", f"{REGRET}, relative = '1 %'", "precision.relative: must be a number, got"
    ),
    precision(
        "confidence 95",
        f"{REGRET}, relative = 0.1, confidence = 95",
        "precision.confidence: must be < 1, got 95",
    ),
    precision(
        "confidence low",
        f"{REGRET}, relative = 0.1, confidence = 0.05",
        "precision.confidence: must be >= 0.5, got 0.05",
    ),
    precision(
        "ceiling huge",
        f"{REGRET}, relative = 0.1, ceiling = {10**9}",
        "precision.ceiling: must be <= 100000000, got 1000000000",
    ),
    precision(
        "ceiling below",
        f"{REGRET}, relative = 0.1, ceiling = 999",
        "precision.ceiling: must be >= replications (1000), got 999",
        schema=False,
    ),
    top(
        "few to begin with",
        f"replications = 99\nprecision = {{ {REGRET}, relative = 0.1 }}",
        "replications: must be >= 100 to begin with where there is a precision, got 99",
        schema=False,
    ),
    precision(
        "between one",
        f"{REGRET}, relative = 0.1, between = ['ucb']",
        "precision.between: must be a list of 2 or more entries, got ['ucb']",
    ),
    precision(
        "between three",
        f"{REGRET}, relative = 0.1, between = ['ucb', 'ucb', 'ucb']",
        "precision.between: must be a list of at most 2 entries, got ['ucb', 'ucb', 'ucb']",
    ),
    precision(
        "between a policy and itself",
        f"{REGRET}, relative = 0.1, between = ['ucb', 'ucb']",
        "precision.between: must be two policies, got 'ucb' twice",
        schema=False,
    ),
    precision(
        "between strangers",
        f"{REGRET}, relative = 0.1, between = ['ubc', 'ts']",
        "precision.between: no policy labelled 'ubc'. Did you mean 'ucb'?",
        "precision.between: no policy labelled 'ts'. Choose one of: ucb",
        schema=False,
    ),
]

MEASURES = [
    top("measures number", "measures = 3", "measures: must be a table, got 3"),
    measure("measure number", "late = 3", "measures.late: must be a table, got 3"),
    measure("measure of nothing", "late = {}", "measures.late.measure: required, but missing"),
    measure(
        "measure unknown",
        "late = { measure = 'discounted-regrt' }",
        "measures.late.measure: no measure 'discounted-regrt'. Did you mean 'discounted-regret'?",
    ),
    measure(
        "measure with an unknown setting",
        "late = { measure = 'discounted-regret', gama = 0.5 }",
        "measures.late.gama: no setting 'gama'. Did you mean 'gamma'?",
    ),
    measure(
        "measure beyond its range",
        "late = { measure = 'discounted-regret', gamma = 1.5 }",
        "measures.late.gamma: must be <= 1, got 1.5",
    ),
    measure(
        "measure with the name of a column",
        "regret = { measure = 'discounted-regret' }",
        "measures.regret: 'regret' is already a column of the results; give this measure another",
        schema=False,
    ),
    measure(
        "measure with the name of another's interval",
        "late = { measure = 'profit' }, late_low = { measure = 'refused' }",
        "measures.late_low: 'late_low' is already a column of measures.late; give this measure",
        schema=False,
    ),
    measure(
        "measure with a name that no column can have",
        "'a b' = { measure = 'profit' }",
        "measures: 'a b' cannot be the name of a column; use at most 40 letters, digits, hyphens",
        schema=False,
    ),
    measure(
        "measures too many",
        ", ".join(f"m{k} = {{ measure = 'profit' }}" for k in range(21)),
        "measures: must be at most 20 measures, got 21",
        schema=False,
    ),
    top(
        "measure of too long a run",
        "horizon = 2_000_001\nmeasures = { unequal = { measure = 'gini' } }",
        "measures.unequal: a measure of whole runs keeps every customer of a run in memory, so ",
        "horizon must be at most 2,000,000, got 2,000,001",
        schema=False,
    ),
    Broken(
        "measure of values that customers do not have",
        text(
            more='customers = { behaviour = "logit" }',
            head='horizon = 20\nmeasures = { surplus = { measure = "customer-surplus" } }',
        ),
        (
            "measures.surplus: asks for value, what an arm is worth to a customer, and behaviour "
            "'logit' says none; give its belief and its decision apart, such as { behaviour = ",
        ),
        schema=False,
    ),
    Broken(
        "other measures at a point",
        text(
            head="horizon = 20\nmeasures = { a = { measure = 'profit' } }",
            policy=f"{UCB}\n[sweep]\ngrid = {{ 'measures.b' = [{{ measure = 'refused' }}] }}",
        ),
        ("measures: must have the same names at every point, a, got a, b",),
        schema=False,
    ),
]

CASES = [
    *FILES,
    *TOP,
    *MARKET,
    *LAWS,
    *POLICIES,
    *TRACES,
    *OBSERVED,
    *PURSES,
    *CHANGES,
    *LINES,
    *CUSTOMERS,
    *PRECISIONS,
    *MEASURES,
]
