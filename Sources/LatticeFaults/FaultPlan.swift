import LatticeCore

/// What goes wrong in a run, drawn from a seed: the same seed makes the same plan, and a plan is a value that can be
/// written down, applied again, and made smaller.
///
/// ```swift
/// let plan = FaultPlan(seed: seed, .init(faults: 20, connections: 5, bytes: 10_000))
/// configuration.inject(plan, into: .workers)
/// ```
public struct FaultPlan: Sendable, Hashable, Codable {
    /// How much goes wrong, and where.
    public struct Scope: Sendable {
        /// Kinds of faults, as ``ConnectionFault/Kind`` and ``LaunchFault/Kind`` have them.
        public enum Kind: String, Sendable, CaseIterable {
            case split
            case stall
            case cut
            case kill
            case pause
            case exit
            case crash
            case hang
            case grandchild
            case chatter
            case descriptors

            /// Those that a connection to a client can have too.
            public static let ofConnections: [Kind] = [.split, .stall, .cut]
            /// Those of workers that say hello.
            public static let ofServing: [Kind] = ofConnections + [.kill, .pause, .grandchild, .chatter]
        }

        /// How many faults; 0 or more.
        public let faults: Int
        /// On how many connections, or at how many starts, of those that come first; 1 or more.
        public let connections: Int
        /// They begin within so many bytes of each direction; 1 or more.
        public let bytes: UInt64
        /// At least one.
        public let directions: [ConnectionFault.Direction]
        /// At least one.
        public let kinds: [Kind]

        /// The longest stall and the longest pause, in milliseconds.
        static let maximumStallMilliseconds = 20
        /// The largest piece of what is split.
        static let maximumPiece = 48
        /// The most bytes that one fault splits.
        static let maximumSplitLength = 4096
        /// The most bytes that a worker writes to its standard error: more than wait for the log.
        static let maximumChatter = 4 << 20
        /// As few descriptors as a worker may have, and as many as are too few for many.
        static let descriptorLimits = 3...40

        public init(
            faults: Int,
            connections: Int = 1,
            bytes: UInt64,
            directions: [ConnectionFault.Direction] = ConnectionFault.Direction.allCases,
            kinds: [Kind] = Kind.ofConnections
        ) {
            precondition(
                faults >= 0 && connections > 0 && bytes > 0,
                "A plan has 0 faults or more, on 1 connection or more, within 1 byte or more."
            )
            precondition(!directions.isEmpty && !kinds.isEmpty, "A plan has a direction and a kind of fault at least.")
            self.faults = faults
            self.connections = connections
            self.bytes = bytes
            self.directions = directions
            self.kinds = kinds
        }
    }

    /// What it was drawn from; nil for one that was written by hand.
    public let seed: UInt64?
    public let faults: [Fault]
    /// Whether they are fewer than were drawn.
    private let isShrunk: Bool

    /// A plan by hand.
    public init(_ faults: [Fault]) {
        self.init(seed: nil, faults)
    }

    /// A plan by chance, the same for the same seed and scope.
    public init(seed: UInt64, _ scope: Scope) {
        var generator = SeededGenerator(seed: seed)
        self.init(seed: seed, (0..<scope.faults).map { _ in .draw(from: scope, using: &generator) })
    }

    private init(seed: UInt64?, _ faults: [Fault], isShrunk: Bool = false) {
        self.seed = seed
        self.faults = faults
        self.isShrunk = isShrunk
    }

    /// The smallest plan that still fails, found by leaving faults out: first many at once, then one by one (Zeller and
    /// Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002). Of what is left each fault is needed.
    ///
    /// - Parameter fails: Whether a run with a plan fails. It is asked at most *n*² + 3*n* times for *n* faults, and
    ///   not for this plan itself, which does.
    public func shrunk(
        isolation: isolated (any Actor)? = #isolation,
        whileFailing fails: (FaultPlan) async throws -> Bool
    ) async rethrows -> FaultPlan {
        var faults = faults
        var parts = 2
        while !faults.isEmpty {
            parts = min(parts, faults.count)
            var hasShrunk = false
            for part in 0..<parts {
                var rest = faults
                rest.removeSubrange(faults.count * part / parts..<faults.count * (part + 1) / parts)
                guard try await fails(FaultPlan(seed: seed, rest, isShrunk: true)) else { continue }
                faults = rest
                parts = max(parts - 1, 2)
                hasShrunk = true
                break
            }
            if hasShrunk { continue }
            guard parts < faults.count else { break }
            parts *= 2
        }
        return FaultPlan(seed: seed, faults, isShrunk: isShrunk || faults.count < self.faults.count)
    }
}

extension FaultPlan: CustomStringConvertible {
    public var description: String {
        let origin = (seed.map { "seed \($0)" } ?? "a plan by hand") + (isShrunk ? ", made smaller" : "")
        return faults.isEmpty
            ? "\(origin): no faults" : "\(origin): \(faults.map(\.description).joined(separator: "; "))"
    }
}

extension Fault {
    fileprivate static func draw(from scope: FaultPlan.Scope, using generator: inout SeededGenerator) -> Fault {
        let number = Int.random(in: 0..<scope.connections, using: &generator)
        let direction = scope.directions[Int.random(in: scope.directions.indices, using: &generator)]
        let place = UInt64.random(in: 0..<scope.bytes, using: &generator)
        func connection(_ kind: ConnectionFault.Kind) -> Fault {
            .connection(ConnectionFault(direction, at: place, kind, on: number))
        }
        return switch scope.kinds[Int.random(in: scope.kinds.indices, using: &generator)] {
        case .split:
            connection(
                .split(
                    piece: .random(in: 1...FaultPlan.Scope.maximumPiece, using: &generator),
                    length: .random(in: 1...FaultPlan.Scope.maximumSplitLength, using: &generator)
                )
            )
        case .stall: connection(.stall(duration(using: &generator)))
        case .cut: connection(.cut)
        case .kill: connection(.kill)
        case .pause: connection(.pause(duration(using: &generator)))
        case .exit: start(number, .exit(code: .random(in: 0...255, using: &generator)))
        case .crash: start(number, .crash)
        case .hang: start(number, .hang)
        case .grandchild: start(number, .grandchild)
        case .chatter:
            start(number, .chatter(bytes: .random(in: 0...FaultPlan.Scope.maximumChatter, using: &generator)))
        case .descriptors:
            start(number, .descriptors(limit: .random(in: FaultPlan.Scope.descriptorLimits, using: &generator)))
        }
    }

    private static func duration(using generator: inout SeededGenerator) -> Duration {
        .milliseconds(Int.random(in: 1...FaultPlan.Scope.maximumStallMilliseconds, using: &generator))
    }
}
