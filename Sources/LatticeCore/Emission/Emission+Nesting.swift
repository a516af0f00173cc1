// An app that joins emissions in a loop can nest them very deeply. The functions here recurse to a depth that fits any
// stack, and iterate beyond that depth.

extension Emission.Kind {
    /// The nesting depth, whether the emission can start effects, and whether it rejects the action.
    var shape: (depth: Int, hasEffects: Bool, rejects: Bool) {
        switch self {
        case .none, .action, .cancel: (0, false, false)
        case .perform, .attempt, .run, .observe: (0, true, false)
        case .reject: (0, false, true)
        case .merge(let children):
            (
                1 + Self.depth(of: children), children.contains(where: \.hasEffects),
                children.contains { $0.content?.rejects == true }
            )
        case .append(let steps): (1 + Self.depth(of: steps), true, steps.first?.content?.rejects == true)
        case .cancellable(let emission, _, _): (1 + emission.depth, true, emission.content?.rejects == true)
        }
    }

    /// The rejection of an emission that rejects the action. Nil for any other emission.
    var rejection: EventRejection? {
        var kind = self
        while true {
            let rejecting: Emission<Action>?
            switch kind {
            case .reject(let rejection): return rejection
            case .merge(let parts), .append(let parts): rejecting = parts.first { $0.content?.rejects == true }
            case .cancellable(let emission, _, _): rejecting = emission
            case .none, .action, .perform, .attempt, .run, .observe, .cancel: rejecting = nil
            }
            guard let rejecting else { return nil }
            kind = rejecting.kind
        }
    }

    private static func depth(of parts: [Emission<Action>]) -> Int {
        var depth = 0
        for part in parts { depth = max(depth, part.depth) }
        return depth
    }

    /// The emissions that this kind consists of, or nil for a kind without parts.
    fileprivate var parts: [Emission<Action>]? {
        switch self {
        case .merge(let parts), .append(let parts): parts
        case .cancellable(let emission, _, _): [emission]
        case .none, .action, .perform, .attempt, .run, .observe, .cancel, .reject: nil
        }
    }

    /// The contents of the emissions that this kind consists of.
    var contents: [Emission<Action>.Content] { parts?.compactMap(\.content) ?? [] }
}

extension Emission {
    var depth: Int { content?.depth ?? 0 }

    /// Whether the emission can start effects, apart from the effects of its actions.
    var hasEffects: Bool { content?.hasEffects ?? false }

    /// Returns an emission with the same structure, in which `leaf` replaces each emission without parts.
    func rebuilt<Other>(_ leaf: (Self) -> Emission<Other>) -> Emission<Other> {
        guard depth <= RuntimeLimits.recursionDepth else { return rebuiltStepwise(leaf) }
        return switch kind {
        case .merge(let children): Emission<Other>(kind: .merge(children.map { $0.rebuilt(leaf) }))
        case .append(let steps): Emission<Other>(kind: .append(steps.map { $0.rebuilt(leaf) }))
        case .cancellable(let emission, let id, let cancelInFlight):
            Emission<Other>(kind: .cancellable(emission.rebuilt(leaf), id: id, cancelInFlight: cancelInFlight))
        case .none, .action, .perform, .attempt, .run, .observe, .cancel, .reject: leaf(self)
        }
    }

    private func rebuiltStepwise<Other>(_ leaf: (Self) -> Emission<Other>) -> Emission<Other> {
        var outer: [Rebuilding<Action, Other>] = []
        var current = Rebuilding<Action, Other>(self)
        while true {
            if let part = current.nextPart {
                if part.depth > RuntimeLimits.recursionDepth {
                    outer.append(current)
                    current = Rebuilding(part)
                } else {
                    current.rebuilt.append(part.rebuilt(leaf))
                }
            } else {
                let emission = current.emission
                guard var parent = outer.popLast() else { return emission }
                parent.rebuilt.append(emission)
                current = parent
            }
        }
    }
}

/// An emission whose parts are being rebuilt one after another.
private struct Rebuilding<Action: Sendable, Other: Sendable> {
    private let original: Emission<Action>
    private let parts: [Emission<Action>]
    var rebuilt: [Emission<Other>] = []

    init(_ original: Emission<Action>) {
        self.original = original
        parts = original.kind.parts ?? []
        rebuilt.reserveCapacity(parts.count)
    }

    /// The next part to rebuild, or nil if all parts have been rebuilt.
    var nextPart: Emission<Action>? { rebuilt.count < parts.count ? parts[rebuilt.count] : nil }

    /// The rebuilt emission. It is complete when all parts have been rebuilt.
    var emission: Emission<Other> {
        switch original.kind {
        case .merge: Emission<Other>(kind: .merge(rebuilt))
        case .append: Emission<Other>(kind: .append(rebuilt))
        case .cancellable(_, let id, let cancelInFlight):
            rebuilt.first.map { Emission<Other>(kind: .cancellable($0, id: id, cancelInFlight: cancelInFlight)) }
                ?? .none
        case .none, .action, .perform, .attempt, .run, .observe, .cancel, .reject: .none  // They have no parts.
        }
    }
}
