import Synchronization

/// The identity of cancellable effects.
struct EffectID: Hashable, Sendable {
    private enum Base: Sendable {
        /// Any value of a user, its type included.
        case value(any Hashable & Sendable)
        /// A part of the state that a child has to itself.
        case scope(UInt64)
    }

    private static let scopes = Atomic<UInt64>(0)

    private let base: Base

    init(_ value: some Hashable & Sendable) {
        base = .value(value)
    }

    private init(base: Base) {
        self.base = base
    }

    /// A new identity, for the effects of a child that end with its part of the state.
    static func makeScope() -> EffectID {
        EffectID(base: .scope(scopes.add(1, ordering: .relaxed).newValue))
    }

    var isScope: Bool {
        if case .scope = base { true } else { false }
    }

    static func == (lhs: Self, rhs: Self) -> Bool {
        switch (lhs.base, rhs.base) {
        case (.value(let lhs), .value(let rhs)): lhs.isSame(as: rhs)
        case (.scope(let lhs), .scope(let rhs)): lhs == rhs
        case (.value, .scope), (.scope, .value): false
        }
    }

    func hash(into hasher: inout Hasher) {
        switch base {
        case .value(let value): value.hash(into: &hasher)
        case .scope(let number): hasher.combine(number)
        }
    }
}

extension Hashable {
    /// Whether the other value is equal to this one and of the same type; of texts the bytes decide, see ``StateKey``.
    ///
    /// `AnyHashable` takes a number, a collection of numbers, or an optional for equal to one of another type.
    package func isSame<Other: Hashable>(as other: Other) -> Bool {
        // The types first, since a cast puts a value into an optional by itself.
        guard Other.self == Self.self, let other = other as? Self else { return false }
        return isSameKey(self, other)
    }
}
