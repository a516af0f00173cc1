import LatticeCore

/// What goes wrong in a run, drawn from a seed: the same seed makes the same plan, and a plan is a value that can be
/// written down, applied again, and made smaller.
///
/// ```swift
/// let plan = FaultPlan(seed: seed, .init(faults: 20, bytes: 10_000))
/// let connection = FaultyConnection(connection, plan)
/// ```
package struct FaultPlan: Sendable, Hashable, Codable {
    /// How much goes wrong, and where.
    package struct Scope: Sendable {
        /// Which kinds there are.
        package enum Kind: Sendable, CaseIterable {
            case split
            case stall
            case cut
        }

        /// How many faults.
        package var faults: Int
        /// They begin within so many bytes of each direction.
        package var bytes: UInt64
        package var directions: [ConnectionFault.Direction]
        package var kinds: [Kind]

        /// The longest stall.
        package static let maximumStallMilliseconds = 20
        /// The largest piece of what is split.
        package static let maximumPiece = 48
        /// The most bytes that one fault splits.
        package static let maximumSplitLength = 4096

        package init(
            faults: Int,
            bytes: UInt64,
            directions: [ConnectionFault.Direction] = ConnectionFault.Direction.allCases,
            kinds: [Kind] = Kind.allCases
        ) {
            precondition(faults >= 0 && bytes > 0, "A plan has 0 faults or more, within 1 byte or more.")
            precondition(!directions.isEmpty && !kinds.isEmpty, "A plan has a direction and a kind of fault at least.")
            self.faults = faults
            self.bytes = bytes
            self.directions = directions
            self.kinds = kinds
        }
    }

    /// What it was drawn from; nil for one that was written by hand.
    package let seed: UInt64?
    package let faults: [ConnectionFault]

    package init(_ faults: [ConnectionFault]) {
        seed = nil
        self.faults = faults
    }

    package init(seed: UInt64, _ scope: Scope) {
        var generator = SeededGenerator(seed: seed)
        self.seed = seed
        faults = (0..<scope.faults).map { _ in .draw(from: scope, using: &generator) }
    }

    private init(seed: UInt64?, _ faults: [ConnectionFault]) {
        self.seed = seed
        self.faults = faults
    }

    /// The smallest plan that still fails, found by leaving faults out: first many at once, then one by one (Zeller and
    /// Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002). Of what is left each fault is needed.
    ///
    /// - Parameter fails: Whether a run with a plan fails. It is asked at most *n*² + 3*n* times for *n* faults, and not
    ///   for this plan itself, which does.
    package func shrunk(
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
                guard try await fails(FaultPlan(seed: seed, rest)) else { continue }
                faults = rest
                parts = max(parts - 1, 2)
                hasShrunk = true
                break
            }
            if hasShrunk { continue }
            guard parts < faults.count else { break }
            parts *= 2
        }
        return FaultPlan(seed: seed, faults)
    }
}

extension FaultPlan: CustomStringConvertible {
    package var description: String {
        let origin = seed.map { "seed \($0)" } ?? "a plan by hand"
        return faults.isEmpty
            ? "\(origin): no faults" : "\(origin): \(faults.map(\.description).joined(separator: "; "))"
    }
}

extension ConnectionFault {
    fileprivate static func draw(
        from scope: FaultPlan.Scope,
        using generator: inout SeededGenerator
    ) -> ConnectionFault {
        let direction = scope.directions[Int.random(in: scope.directions.indices, using: &generator)]
        let place = UInt64.random(in: 0..<scope.bytes, using: &generator)
        let kind: Kind =
            switch scope.kinds[Int.random(in: scope.kinds.indices, using: &generator)] {
            case .split:
                .split(
                    piece: .random(in: 1...FaultPlan.Scope.maximumPiece, using: &generator),
                    length: .random(in: 1...FaultPlan.Scope.maximumSplitLength, using: &generator)
                )
            case .stall:
                .stall(milliseconds: .random(in: 1...FaultPlan.Scope.maximumStallMilliseconds, using: &generator))
            case .cut: .cut
            }
        return ConnectionFault(direction, at: place, kind)
    }
}
