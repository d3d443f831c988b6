"""A controller that is trained, compared with the policies of the catalogue.

It promotes the arm with the highest index m_i + c sqrt(ln(T / N_i) / N_i) (1 - t / T)^d, and pays
the least offer. The cross-entropy method searches for c and d: it draws candidates, plays some
random markets with each, keeps those with the least regret and compensation, and draws closer to
them. Candidates play side by side in a vector environment. The result plays fresh markets, on the
same tapes as the policies.

    python scenarios/trained_controller.py --replications 1000

With `--random` there are two arms, whose means are drawn anew in every market. For these the best
controller of all is known, and compared with as well:

    python scenarios/trained_controller.py --random --horizon 100 --replications 10000
"""

import argparse

import numpy as np

import kcmab_abm as kcmab

CANDIDATES, KEPT = 32, 8
MARKETS = 32  # per candidate and round


FOUR = {"law": "bernoulli", "means": [0.8, 0.7, 0.5, 0.3]}
TWO = {"law": "bernoulli", "count": 2, "means": {"prior": "uniform"}}


def scenario(replications, horizon, is_random):
    """Greedy customers, and the policies to compare with."""
    names = ["ucb", "modified-ts", *["optimal"] * is_random]
    return kcmab.make_scenario(
        {
            "title": "Can a controller be trained?",
            "horizon": horizon,
            "replications": replications,
            "seed": 11,
            "market": {"arms": TWO if is_random else FOUR},
            "policy": [{"name": name} for name in names],
        }
    )


def choose(logs, observed, horizon):
    """The target in each market, for the logarithms of c and d in its row of `logs`."""
    c, d = np.exp(logs).T[:, :, np.newaxis]
    pulls = np.maximum(observed["pulls"], 1)
    width = np.sqrt(np.log(np.maximum(horizon / pulls, 1.0)) / pulls)
    left = np.maximum(1.0 - observed["t"] / horizon, 0.0)
    return np.argmax(observed["means"] + c * width * left**d, axis=1)


def play(envs, logs, **how):
    """The regret and the compensation of one episode in each market."""
    observed, _ = envs.reset(**how)
    regret, compensation = np.zeros(envs.num_envs), np.zeros(envs.num_envs)
    for _ in range(envs.scenario.horizon):
        actions = choose(logs, observed, envs.scenario.horizon)
        observed, _, _, _, infos = envs.step(actions)
        regret += infos["regret"]
        compensation += infos["payment"]
    return regret, compensation


def train(market, rounds, engine):
    """The logarithms of c and d, found with seeds that the comparison does not use."""
    rng = np.random.default_rng(3)
    envs = kcmab.gym.make_vec(market, CANDIDATES * MARKETS, engine=engine)
    centre, spread = np.log([0.5, 0.5]), np.ones(2)
    for number in range(rounds):
        logs = centre + spread * rng.standard_normal((CANDIDATES, 2))
        costs = sum(play(envs, np.repeat(logs, MARKETS, axis=0), seed=1000 + number))
        best = logs[np.argsort(costs.reshape(CANDIDATES, MARKETS).mean(axis=1))[:KEPT]]
        centre, spread = best.mean(axis=0), best.std(axis=0) + 0.05
    return centre


def main():
    """Train, play fresh markets, and print means and paired differences with 95 % intervals."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replications", type=int, default=1000)
    parser.add_argument("--horizon", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--random", action="store_true", help="two arms with random means")
    parser.add_argument("--engine", default="auto", choices=["auto", "market", "batch"])
    options = parser.parse_args()
    market = scenario(options.replications, options.horizon, options.random)
    logs = train(market, options.rounds, options.engine)
    print(f"trained on other seeds: c = {np.exp(logs[0]):.2f}, d = {np.exp(logs[1]):.2f}")

    envs = kcmab.gym.make_vec(market, options.replications, engine=options.engine)
    costs = {"trained": play(envs, np.tile(logs, (options.replications, 1)))}
    finals = kcmab.simulate(market, engine=options.engine).finals()
    for name, each in finals.groupby("policy"):
        costs[name] = each.regret.to_numpy(), each.compensation.to_numpy()
    for name, (regret, compensation) in costs.items():
        print(f"{name:>12}: regret {shown(regret)}, compensation {shown(compensation)}")
    for name in (policy.label for policy in market.policies):
        print(f"trained less {name}, both costs: {shown(sum(costs['trained']) - sum(costs[name]))}")


def shown(sample):
    """A mean with its 95 % interval."""
    return f"{sample.mean():.2f} +- {1.96 * sample.std(ddof=1) / len(sample) ** 0.5:.2f}"


if __name__ == "__main__":
    main()
