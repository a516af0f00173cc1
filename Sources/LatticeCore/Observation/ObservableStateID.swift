import Synchronization

/// The identity of an observable state: the place where it is shown, and for an enum also its case.
///
/// An identity consists of two integers. Creating one allocates nothing, takes a few nanoseconds, and is possible on
/// any thread.
public struct ObservableStateID: Hashable, Sendable {
    private static let lastPlace = Atomic<UInt64>(0)

    /// The number of the place, or 0 for a value without a place of its own, such as a case without a payload.
    private var place: UInt64
    private var tag: UInt64

    /// Creates a new unique identity.
    public init() {
        self.init(place: Self.nextPlace())
    }

    private init(place: UInt64) {
        self.place = place
        tag = 0
    }

    /// The identity of every value that is not an observable state.
    public static var _$plain: Self { Self(place: 0) }

    /// Returns the identity of `value`, or ``_$plain`` if it is not an observable state.
    public static func _$id<T>(for value: T) -> Self {
        (value as? any ObservableState)?._$id ?? ._$plain
    }

    /// Returns the identity of `value`.
    public static func _$id(for value: some ObservableState) -> Self {
        value._$id
    }

    /// Returns the identity of a case. Cases with different tags have different identities, even if their payloads have
    /// the same identity.
    public func _$tag(_ tag: Int) -> Self {
        var tagged = self
        // The factor is odd, so no two tags coincide, and the tags of nested enums differ.
        tagged.tag = (self.tag ^ UInt64(truncatingIfNeeded: tag) &+ 1) &* 0x9E37_79B9_7F4A_7C15
        return tagged
    }

    /// Replaces this identity by a new one, unless it is the identity of a plain value.
    public mutating func _$willModify() {
        if isPlace { place = Self.nextPlace() }
    }

    var isPlace: Bool { place != 0 }

    private static func nextPlace() -> UInt64 {
        lastPlace.wrappingAdd(1, ordering: .relaxed).newValue
    }
}
