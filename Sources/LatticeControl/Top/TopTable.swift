import LatticeWire

/// A table of `latticectl top`.
package enum TopTable: String, Sendable, CaseIterable {
    case workers
    case instances
    case clients
    case groups

    /// The columns, the most important ones first. They are the keys by which the rows can be ranked.
    var columns: [TextTable.Column] {
        switch self {
        case .workers:
            [
                .init("worker", "WORKER"), .init("state", "STATE"), .init("processID", "PID"), .init("cpu", "CPU%"),
                .init("residentBytes", "MEMORY"), .init("restarts", "RESTARTS"), .init("sinceMilliseconds", "SINCE"),
                .init("openFiles", "FILES"), .init("reason", "REASON"),
            ]
        case .instances:
            [
                .init("feature", "FEATURE"), .init("instance", "INSTANCE"), .init("status", "STATUS"),
                .init("rate", "EVENTS/S"), .init("p50Milliseconds", "P50"), .init("p99Milliseconds", "P99"),
                .init("waiting", "QUEUE"), .init("running", "RUNNING"),
                .init("stateBytes", "SIZE"), .init("subscribers", "SUBS"), .init("lag", "LAG"),
                .init("patches", "PATCHES/S"), .init("worker", "WORKER"),
                .init("revision", "REVISION"), .init("reason", "REASON"),
            ]
        case .clients:
            [
                .init("processID", "PID"), .init("state", "STATE"), .init("cpu", "CPU%"), .init("running", "RUNNING"),
                .init("channels", "CHANNELS"), .init("lag", "LAG"), .init("unwrittenBytes", "UNREAD"),
                .init("connectedMilliseconds", "CONNECTED"),
                .init("program", "PROGRAM", keepsEnd: true),
            ]
        case .groups:
            [
                .init("group", "GROUP"), .init("workers", "WORKERS"), .init("maximumWorkers", "MAXIMUM"),
                .init("cpu", "CPU%"), .init("residentBytes", "MEMORY"), .init("restarts", "RESTARTS"),
                .init("placement", "PLACEMENT"),
            ]
        }
    }

    /// Returns the key by which the coordinator ranks the rows for a column, or nil if it cannot. Loads and rates are
    /// computed from two looks, so for them it ranks by the sums since the beginning.
    package func rank(of key: String) -> String? {
        switch (self, key) {
        case (.workers, "cpu"): "cpuMilliseconds"
        case (.workers, "worker"), (.workers, "state"), (.workers, "restarts"), (.workers, "residentBytes"): key
        case (.instances, "rate"): "acknowledged"
        case (.instances, "patches"): "viewRevision"
        case (.instances, "feature"), (.instances, "status"), (.instances, "revision"), (.instances, "stateBytes"),
            (.instances, "waiting"), (.instances, "running"), (.instances, "subscribers"), (.instances, "lag"),
            (.instances, "p50Milliseconds"), (.instances, "p99Milliseconds"):
            key
        case (.clients, "running"), (.clients, "channels"), (.clients, "lag"), (.clients, "unwrittenBytes"),
            (.groups, "group"):
            key
        default: nil
        }
    }

    /// The key by which the rows are ranked at first.
    package var firstSortKey: String {
        switch self {
        case .workers: "cpu"
        case .instances: "rate"
        case .clients: "running"
        case .groups: "cpu"
        }
    }

    /// Returns what identifies a row from one sample to the next.
    func identity(of row: [String: DescriptionValue]) -> String {
        let keys: [String] =
            switch self {
            case .workers: ["worker"]
            case .instances: ["feature", "instance"]
            case .clients: ["client"]
            case .groups: ["group"]
            }
        return keys.map { row[$0]?.string ?? "" }.joined(separator: "\0")
    }
}
