// What a configuration holds for layers 1 to 3: the core of layer 0 knows none of it.
const EVALUATION = ["golden", "models", "judge", "runs", "layers", "concurrency", "cache", "baseline", "gate", "budget", "history", "max-turns", "prices", "stress", "faults", "adversarial"];

/** The part of a configuration that the core reads, as JSON. */
export function coreConfig(config) {
  return JSON.stringify(Object.fromEntries(Object.entries(config).filter(([key]) => !EVALUATION.includes(key))));
}
