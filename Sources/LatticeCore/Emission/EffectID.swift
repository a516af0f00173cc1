import LatticeCollections
import Synchronization

/// The identity of cancellable effects.
struct EffectID: Hashable, Sendable {
    private enum Base: Sendable {
        /// A value that the user chose, including its type.
        case value(any Hashable & Sendable)
        /// The part of the state that belongs to one child interactor.
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

    /// Returns a new identity for the effects of a child, which end when the child's part of the state is removed.
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
    /// Returns whether the other value has the same type and is equal to this one. Strings are compared by their bytes,
    /// see `StateKey`.
    ///
    /// `AnyHashable`, in contrast, can find numbers, collections of numbers, and optionals of different types equal.
    package func isSame<Other: Hashable>(as other: Other) -> Bool {
        // The types are compared first because a cast can wrap a value in an optional.
        guard Other.self == Self.self, let other = other as? Self else { return false }
        return isSameKey(self, other)
    }
}
