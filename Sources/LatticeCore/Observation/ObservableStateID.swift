import Synchronization

/// Names an observable state: the place where it is shown, and for an enum the case that it is in.
///
/// Two integers: making one allocates nothing and takes a few nanoseconds, from any thread.
public struct ObservableStateID: Hashable, Sendable {
    private static let lastPlace = Atomic<UInt64>(0)

    /// 0 for what has no place of its own, such as a case without a payload.
    private var place: UInt64
    private var tag: UInt64

    /// A name that no other state has.
    public init() {
        self.init(place: Self.nextPlace())
    }

    private init(place: UInt64) {
        self.place = place
        tag = 0
    }

    /// The name of everything that is not observed by itself.
    public static var _$plain: Self { Self(place: 0) }

    /// The name of `value`; ``_$plain`` unless it is an observable state.
    public static func _$id<T>(for value: T) -> Self {
        (value as? any ObservableState)?._$id ?? ._$plain
    }

    /// The name of `value`.
    public static func _$id(for value: some ObservableState) -> Self {
        value._$id
    }

    /// The name of a case: of the same name, cases with different tags have different ones.
    public func _$tag(_ tag: Int) -> Self {
        var tagged = self
        // Odd, so that no two tags fall together; and the tags of enums within enums are told apart.
        tagged.tag = (self.tag ^ UInt64(truncatingIfNeeded: tag) &+ 1) &* 0x9E37_79B9_7F4A_7C15
        return tagged
    }

    /// Takes a new name, if this is one of a place.
    public mutating func _$willModify() {
        if isPlace { place = Self.nextPlace() }
    }

    var isPlace: Bool { place != 0 }

    private static func nextPlace() -> UInt64 {
        lastPlace.wrappingAdd(1, ordering: .relaxed).newValue
    }
}
