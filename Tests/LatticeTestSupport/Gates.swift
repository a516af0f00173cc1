package import LatticeCore

/// Where the effects of the tests wait, by name. Names are chosen anew for each test.
package enum Gates {
    private static let opened = Watched<Set<String>>([])
    private static let begun = Watched<[String: [EventID?]]>([:])
    private static let deadlines = Watched<[String: [ContinuousClock.Instant?]]>([:])
    private static let traces = Watched<[String: [TraceContext]]>([:])
    private static let turnedAway = Watched<[String: Int]>([:])

    /// A name that no other test has.
    package static func makeName() -> String { "gate-\(UInt64.random(in: 0...(.max)))" }

    package static func open(_ name: String) {
        opened.change { _ = $0.insert(name) }
    }

    /// Called by an effect: returns when the gate is open, throws when the effect is cancelled.
    package static func wait(_ name: String) async throws {
        let (event, deadline, trace) = (EventID.current, Deadline.current, TraceContext.current)
        traces.change { $0[name, default: []].append(trace) }
        deadlines.change { $0[name, default: []].append(deadline) }
        begun.change { $0[name, default: []].append(event) }
        do {
            try await opened.until { $0.contains(name) }
        } catch {
            turnedAway.change { $0[name, default: 0] += 1 }
            throw error
        }
    }

    /// How many effects have come to the gate.
    package static func arrivals(_ name: String) -> Int { events(name).count }

    /// Whose effects have come to the gate, as they know it, in the order in which they came.
    package static func events(_ name: String) -> [EventID?] { begun.value[name] ?? [] }

    /// Until when the effects that have come to the gate have time, as they know it, in the order in which they came.
    package static func deadlines(_ name: String) -> [ContinuousClock.Instant?] { deadlines.value[name] ?? [] }

    /// The traces of the effects that have come to the gate, as they know them, in the order in which they came.
    package static func traces(_ name: String) -> [TraceContext] { traces.value[name] ?? [] }

    /// Returns when so many of the effects that came to the gate were cancelled there.
    package static func untilCancelled(_ name: String, count: Int = 1) async throws {
        try await turnedAway.until { $0[name] ?? 0 >= count }
    }

    /// Returns when what was to wait at a gate for longer than it has time was cancelled there.
    ///
    /// - Parameter body: Lets it wait at the gate, with so much time. On a busy machine that may be over before it
    ///   comes there: then it is called again, with another gate and more time.
    package static func untilTooLate(
        _ body: (_ gate: String, _ limit: Duration) async throws -> Void
    ) async throws {
        var (gate, limit) = (makeName(), Duration.milliseconds(50))
        try await body(gate, limit)
        while arrivals(gate) == 0 {
            (gate, limit) = (makeName(), limit * 4)
            try await body(gate, limit)
        }
        try await untilCancelled(gate)
    }

    package static func untilArrived(_ name: String, count: Int = 1) async throws {
        try await begun.until { ($0[name] ?? []).count >= count }
    }
}
