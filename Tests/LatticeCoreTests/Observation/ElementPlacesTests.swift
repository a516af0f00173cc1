import Testing

@testable import LatticeCore

@Suite struct ElementPlacesTests {
    private typealias Key = _ObservableElementKey

    private static let a = Key.place(ObservableStateID())
    private static let b = Key.place(ObservableStateID())
    private static let c = Key.place(ObservableStateID())
    private static let new = Key.place(ObservableStateID())
    private static let other = Key.place(ObservableStateID())

    private static func id(_ id: Int) -> Key { .id(_ObservableElementID(id)) }

    private static let table: [(shown: [Key], new: [Key], places: [ElementPlaces.Place], isSameOrder: Bool)] = [
        ([], [], [], true),
        ([a, b], [a, b], [.shown(0), .shown(1)], true),
        ([a, b], [b, a], [.shown(1), .shown(0)], false),
        ([a, b, c], [a, c], [.shown(0), .shown(2)], false),
        ([a, b], [a], [.shown(0)], false),
        ([a], [a, new], [.shown(0), .new(needsName: false)], false),
        // New elements are matched by position, unless that place belongs to another element.
        ([a, b], [new, other], [.shown(0), .shown(1)], true),
        ([a, b], [new, a], [.new(needsName: false), .shown(0)], false),
        ([a, b], [b, new], [.shown(1), .new(needsName: false)], false),
        // Copies beside their originals.
        ([a, b], [a, a], [.shown(0), .new(needsName: true)], false),
        ([a], [new, new], [.shown(0), .new(needsName: true)], false),
        // By id, and never by position.
        ([id(1), id(2)], [id(2), id(1)], [.shown(1), .shown(0)], false),
        ([id(1), id(2)], [id(1), id(3)], [.shown(0), .new(needsName: false)], false),
        ([id(1)], [id(1), id(1)], [.shown(0), .new(needsName: false)], false),
        ([id(1), id(1)], [id(1), id(1)], [.shown(0), .new(needsName: false)], false),
        // Elements without a key.
        ([.position, .position], [.position, .position], [.shown(0), .shown(1)], true),
        ([.position, a], [a, .position], [.shown(1), .new(needsName: false)], false),
        ([a, .position], [.position, .position], [.shown(0), .shown(1)], true),
    ]

    @Test(arguments: table)
    private func places(shown: [Key], new: [Key], places: [ElementPlaces.Place], isSameOrder: Bool) {
        let result = ElementPlaces(new: new, shown: shown)
        #expect(result.places == places)
        #expect(result.isSameOrder == isSameOrder)
    }

    @Test func elementsInPlaceAreNotCopied() {
        let result = ElementPlaces(new: [Self.a], shown: [], taken: [Self.a])
        #expect(result.places == [.new(needsName: true)])
    }
}
