import LatticeCore

/// The faults of a run. A plan is drawn from a seed, and the same seed makes the same plan. A plan is also a value that
/// you can write by hand, store, apply again, and shrink.
///
/// ```swift
/// let plan = FaultPlan(seed: seed, .init(faults: 20, connections: 5, bytes: 10_000))
/// configuration.inject(plan, into: .workers)
/// ```
public struct FaultPlan: Sendable, Hashable, Codable {
    /// The number and the kinds of the faults, and where they happen.
    public struct Scope: Sendable {
        /// The kinds of faults. They correspond to ``ConnectionFault/Kind`` and ``LaunchFault/Kind``.
        public enum Kind: String, Sendable, CaseIterable {
            /// See ``ConnectionFault/Kind/split(piece:length:)``.
            case split
            /// See ``ConnectionFault/Kind/stall(_:)``.
            case stall
            /// See ``ConnectionFault/Kind/cut``.
            case cut
            /// See ``ConnectionFault/Kind/kill``.
            case kill
            /// See ``ConnectionFault/Kind/pause(_:)``.
            case pause
            /// See ``LaunchFault/Kind/exit(code:)``.
            case exit
            /// See ``LaunchFault/Kind/crash``.
            case crash
            /// See ``LaunchFault/Kind/hang``.
            case hang
            /// See ``LaunchFault/Kind/grandchild``.
            case grandchild
            /// See ``LaunchFault/Kind/chatter(bytes:)``.
            case chatter
            /// See ``LaunchFault/Kind/descriptors(limit:)``.
            case descriptors

            /// The kinds that are also possible on a connection to a client.
            public static let ofConnections: [Kind] = [.split, .stall, .cut]
            /// The kinds after which a worker serves, or has served.
            public static let ofServing: [Kind] = ofConnections + [.kill, .pause, .grandchild, .chatter]
        }

        /// The number of faults, at least 0.
        public let faults: Int
        /// The number of connections or starts that can have faults, at least 1. They are the first ones of the run.
        public let connections: Int
        /// The number of bytes of each direction within which faults begin, at least 1.
        public let bytes: UInt64
        /// The directions that can have faults, at least one.
        public let directions: [ConnectionFault.Direction]
        /// The kinds of faults that are drawn, at least one.
        public let kinds: [Kind]

        /// The maximum duration of a stall and of a pause, in milliseconds.
        static let maximumStallMilliseconds = 20
        /// The maximum size in bytes of a piece of split data.
        static let maximumPiece = 48
        /// The maximum number of bytes that one fault splits.
        static let maximumSplitLength = 4096
        /// The maximum number of bytes that a worker writes to its standard error. This is more than the log buffers.
        static let maximumChatter = 4 << 20
        /// The range of limits on a worker's descriptors. The minimum allows no worker, and the maximum is too low for
        /// many.
        static let descriptorLimits = 3...40

        /// Creates a scope.
        ///
        /// - Parameters:
        ///   - faults: The number of faults, at least 0.
        ///   - connections: The number of connections or starts that can have faults, at least 1.
        ///   - bytes: The number of bytes of each direction within which faults begin, at least 1.
        ///   - directions: The directions that can have faults, at least one.
        ///   - kinds: The kinds of faults that are drawn, at least one.
        public init(
            faults: Int,
            connections: Int = 1,
            bytes: UInt64,
            directions: [ConnectionFault.Direction] = ConnectionFault.Direction.allCases,
            kinds: [Kind] = Kind.ofConnections
        ) {
            precondition(
                faults >= 0 && connections > 0 && bytes > 0,
                "A plan needs at least 0 faults, 1 connection and 1 byte."
            )
            precondition(
                !directions.isEmpty && !kinds.isEmpty,
                "A plan needs at least one direction and one kind of fault."
            )
            self.faults = faults
            self.connections = connections
            self.bytes = bytes
            self.directions = directions
            self.kinds = kinds
        }
    }

    /// The seed from which the plan was drawn, or nil for a plan that was written by hand.
    public let seed: UInt64?
    /// The faults in the order of the plan.
    public let faults: [Fault]
    /// A Boolean value that indicates whether the plan has been shrunk.
    private let isShrunk: Bool

    /// Creates a plan from a list of faults.
    public init(_ faults: [Fault]) {
        self.init(seed: nil, faults)
    }

    /// Draws a plan. The same seed and scope always make the same plan.
    public init(seed: UInt64, _ scope: Scope) {
        var generator = SeededGenerator(seed: seed)
        self.init(seed: seed, (0..<scope.faults).map { _ in .draw(from: scope, using: &generator) })
    }

    private init(seed: UInt64?, _ faults: [Fault], isShrunk: Bool = false) {
        self.seed = seed
        self.faults = faults
        self.isShrunk = isShrunk
    }

    /// Returns the smallest plan that still fails. It is found by leaving out many faults at once first, and single
    /// faults at the end (Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002). Each
    /// remaining fault is necessary.
    ///
    /// - Parameters:
    ///   - isolation: The isolation of the caller. Do not pass it.
    ///   - fails: Runs with a plan and returns whether the run failed. It is called at most *n*² + 3*n* times for *n*
    ///     faults. It is not called for this plan itself, which is known to fail.
    /// - Returns: The smallest plan.
    /// - Throws: Any error that `fails` throws.
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
    /// The seed and the faults in their order, such as "seed 7, shrunk: connection 0, byte 300 of writing: breaks".
    public var description: String {
        let origin = (seed.map { "seed \($0)" } ?? "a handwritten plan") + (isShrunk ? ", shrunk" : "")
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
