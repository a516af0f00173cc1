import Foundation
import Lattice
import Testing

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct ObservableStateMacroTests {
    @Test func propertiesAreObservedOneByOne() {
        var state = ProfileState(id: 1, name: "Ada")
        state.friends = [FriendState(id: "x"), FriendState(id: "y")]
        let viewModel = makeModel(state)
        let readers: [(String, () -> Void)] = [
            ("name", { _ = viewModel.name }), ("age", { _ = viewModel.age }), ("visits", { _ = viewModel.visits }),
            ("title", { _ = viewModel.title }), ("city", { _ = viewModel.address.city }),
            ("street", { _ = viewModel.viewState.address.street }), ("friends", { _ = viewModel.friends }),
            ("y", { _ = viewModel.friends.last?.isOnline }), ("status", { _ = viewModel.status }),
            ("cache", { _ = viewModel.cache }), ("default", { _ = viewModel.default }),
        ]
        func heard(_ change: (inout ProfileState) -> Void) -> [String] {
            whoHears(readers) {
                change(&state)
                viewModel.sendViewEvent(state)
            }
        }
        #expect(heard { _ in } == [])
        #expect(heard { $0.name = "Bob" } == ["name", "title"])
        #expect(heard { $0.age = 5 } == ["age"])
        #expect(heard { $0.visit() } == ["title", "visits"])
        #expect(heard { $0.address = AddressState(city: "Paris") } == ["city"])
        #expect(heard { $0.friends[1].isOnline.toggle() } == ["y"])
        #expect(heard { $0.friends.swapAt(0, 1) } == ["friends", "y"])
        #expect(heard { $0.status = .busy(until: 4) } == ["status"])
        #expect(heard { $0.status = .busy(until: 4) } == [])
        #expect(heard { $0.status = .nested(.busy(until: 5)) } == ["status"])
        #expect(heard { $0.cache = 5 } == [])
        #expect(viewModel.cache == 5)
        #expect(heard { $0.default = true } == ["default"])
        #expect(viewModel.viewState == state)
    }

    @Test("The readers of an enum are notified if the case that they read changes (W33)")
    func enums() {
        let viewModel = makeModel(StatusState.away)
        let readers: [(String, () -> Void)] = [
            ("status", { _ = viewModel.viewState }),
            ("city", { if case .home(let address) = viewModel.viewState { _ = address.city } }),
            ("online", { if case .list(let friends) = viewModel.viewState { _ = friends.first?.isOnline } }),
        ]
        let table: [(StatusState, [String])] = [
            (.away, []),
            (.home(AddressState(city: "Oslo")), ["city", "online", "status"]),
            (.home(AddressState(city: "Rome")), ["city"]),
            (.home(AddressState(city: "Rome", street: "x")), []),
            (.list([FriendState(id: "a")]), ["city", "online", "status"]),
            (.list([FriendState(id: "a", isOnline: true)]), ["online"]),
            (.list([]), ["city", "online", "status"]),
            (.meeting("a", room: 1), ["city", "online", "status"]),
            (.meeting("a", room: 1), []),
            (.meeting("a", room: 2), ["city", "online", "status"]),
            (.nested(.home(AddressState())), ["city", "online", "status"]),
            (.nested(.home(AddressState(city: "a"))), []),
            (.nested(.away), ["city", "online", "status"]),
        ]
        for (status, hear) in table {
            #expect(whoHears(readers) { viewModel.sendViewEvent(status) } == hear, "\(status)")
            #expect(viewModel.viewState == status)
        }
    }

    @Test func constantsAndWrappedPropertiesAreObservedWithTheWhole() {
        var state = WrappedState()
        let viewModel = makeModel(state)
        let readers: [(String, () -> Void)] = [
            ("level", { _ = viewModel.level }), ("observed", { _ = viewModel.observed }),
        ]
        state.level = 20
        #expect(whoHears(readers) { viewModel.sendViewEvent(state) } == ["level", "observed"])
        #expect(viewModel.level == 10)
        state.observed = 5
        #expect(whoHears(readers) { viewModel.sendViewEvent(state) } == ["observed"])
        state.late = 6
        #expect(whoHears(readers) { viewModel.sendViewEvent(state) } == [])
        let friends = makeModel(FriendState(id: "a"))
        let friend: [(String, () -> Void)] = [("isOnline", { _ = friends.isOnline })]
        #expect(whoHears(friend) { friends.sendViewEvent(FriendState(id: "b")) } == [])
    }

    @Test func observersOfAPropertyStay() {
        var state = WrappedState()
        state.observed = 1
        state.observed += 1
        #expect(state.changes == ["will 1", "did 0", "will 2", "did 1"])
    }

    @Test func aFirstValueIsMadeOnce() {
        let before = Calls.made
        let state = WrappedState()
        #expect(Calls.made == before + 1)
        #expect(state.number == before + 1)
    }

    @Test func initializersMatchTheWrittenProperties() {
        #expect(AddressState(city: "a", street: "b").street == "b")
        #expect(AddressState() == AddressState(city: "", street: ""))
        #expect(FriendState(id: "a").isOnline == false)
        #expect(GenericState(value: 1, other: "a", list: [2]).list == [2])
        #expect(GenericState<Int, String>(value: 1).other == nil)
        #expect(NotComparable(fixed: AddressState(city: "a")).fixed.city == "a")
    }

    @Test func genericStates() {
        let viewModel = makeModel(GenericState<AddressState, [Int]>(value: AddressState(), list: [AddressState()]))
        let readers: [(String, () -> Void)] = [
            ("value", { _ = viewModel.value }), ("city", { _ = viewModel.value.city }),
            ("other", { _ = viewModel.other }), ("list", { _ = viewModel.list }),
            ("list.city", { _ = viewModel.list.first?.city }),
        ]
        var state = viewModel.viewState
        func heard(_ change: (inout GenericState<AddressState, [Int]>) -> Void) -> [String] {
            whoHears(readers) {
                change(&state)
                viewModel.sendViewEvent(state)
            }
        }
        #expect(heard { $0.value.city = "a" } == ["city"])
        #expect(heard { $0.list[0].city = "a" } == ["list.city"])
        #expect(heard { $0.other = [1] } == ["other"])
        #expect(heard { $0.other = [1] } == [])
        let choice = makeModel(GenericChoice<AddressState>.first(AddressState()))
        let readers2: [(String, () -> Void)] = [
            ("city", { if case .first(let address) = choice.viewState { _ = address.city } })
        ]
        #expect(whoHears(readers2) { choice.sendViewEvent(.first(AddressState(street: "s"))) } == [])
        #expect(whoHears(readers2) { choice.sendViewEvent(.first(AddressState(city: "c"))) } == ["city"])
        #expect(whoHears(readers2) { choice.sendViewEvent(.second) } == ["city"])
    }

    @Test func conditionalMembers() {
        let viewModel = makeModel(ConditionalState())
        let readers: [(String, () -> Void)] = [
            ("always", { _ = viewModel.always }), ("city", { _ = viewModel.observation.city }),
        ]
        var state = viewModel.viewState
        state.always = 1
        #expect(whoHears(readers) { viewModel.sendViewEvent(state) } == ["always"])
        state.observation.city = "a"
        #expect(whoHears(readers) { viewModel.sendViewEvent(state) } == ["city"])
        let cases = makeModel(ConditionalCases.other(AddressState()))
        let whole: [(String, () -> Void)] = [("whole", { _ = cases.viewState })]
        #expect(whoHears(whole) { cases.sendViewEvent(.other(AddressState(city: "a"))) } == [])
        #expect(whoHears(whole) { cases.sendViewEvent(.always(1)) } == ["whole"])
        #expect(whoHears(whole) { cases.sendViewEvent(.always(1)) } == [])
        #expect(ConditionalCases.plain._$id != ConditionalCases.always(1)._$id)
        #expect(OneCase.only._$id == OneCase.only._$id)
    }

    @Test func nestedTypesAndConstantStates() {
        let viewModel = makeModel(Space.Nested(inner: .two(AddressState())))
        let readers: [(String, () -> Void)] = [("inner", { _ = viewModel.inner })]
        #expect(whoHears(readers) { viewModel.sendViewEvent(.init(inner: .two(AddressState(city: "a")))) } == [])
        #expect(whoHears(readers) { viewModel.sendViewEvent(.init(inner: .one)) } == ["inner"])
        let fixed = makeModel(NotComparable(fixed: AddressState()))
        let count: [(String, () -> Void)] = [("count", { _ = fixed.count })]
        var state = fixed.viewState
        state.count += 0
        #expect(whoHears(count) { fixed.sendViewEvent(state) } == [])
        state.count += 1
        #expect(whoHears(count) { fixed.sendViewEvent(state) } == ["count"])
        let other = NotComparable(action: state.action, count: 1, fixed: AddressState(city: "b"))
        #expect(whoHears(count) { fixed.sendViewEvent(other) } == ["count"])
    }

    @Test("A detached copy notifies no observer (W34)")
    func detachedCopies() {
        let viewModel = makeModel(AddressState(city: "a"))
        var copy = viewModel.viewState
        let readers: [(String, () -> Void)] = [("city", { _ = viewModel.city })]
        #expect(whoHears(readers) { copy.city = "b" } == [])
        #expect(viewModel.city == "a")
    }
}

/// Coding and equality are those of the properties.
@Suite struct ObservableStateSynthesisTests {
    private func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func roundTrip<Value: Codable>(_ value: Value) throws -> Value {
        try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
    }

    @Test func codingUsesTheNamesOfTheProperties() throws {
        var profile = ProfileState(id: 1, name: "Ada")
        profile.friends = [FriendState(id: "x")]
        profile.age = 3
        #expect(
            try text(profile) == """
                {"address":{"city":"","street":""},"age":3,"cache":0,"default":false,\
                "friends":[{"id":"x","isOnline":false}],"id":1,"name":"Ada","status":{"away":{}},"visits":0}
                """
        )
        #expect(try roundTrip(profile) == profile)
        #expect(try roundTrip(profile).visitors == [])
        #expect(try text(StatusState.busy(until: 3)) == #"{"busy":{"until":3}}"#)
        #expect(try roundTrip(StatusState.home(AddressState(city: "a"))) == .home(AddressState(city: "a")))
        #expect(try text(EmptyState()) == "{}")
        #expect(try text(EncodedElsewhere(name: "a")) == #"{"name":"a"}"#)
    }

    @Test func ownKeysAndOwnCodingAreKept() throws {
        #expect(try text(OwnKeys(name: "a", secret: 5)) == #"{"n":"a"}"#)
        #expect(try roundTrip(OwnKeys(name: "a", secret: 5)) == OwnKeys(name: "a", secret: 0))
        #expect(try text(OwnCoding(name: "a")) == #""a""#)
        #expect(try roundTrip(OwnCoding(name: "a")) == OwnCoding(name: "a"))
    }

    @Test("Equality and hashing ignore the bookkeeping (contract 35)")
    func equality() {
        #expect(AddressState(city: "a") == AddressState(city: "a"))
        #expect(AddressState(city: "a").hashValue == AddressState(city: "a").hashValue)
        #expect(AddressState(city: "a") != AddressState(city: "b"))
        #expect(AddressState()._$id != AddressState()._$id)
    }
}
