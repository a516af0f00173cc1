package import LatticeCore

/// A feature whose view state is observed property by property. The view state is written without macros.
package enum ProfileFeature: HostedFeature {
    package enum Action: Codable, Sendable, Equatable {
        case rename(String)
        case visit
        case befriend(Int)
        case greet(Int)
        case nothing
    }

    package struct DomainState: Codable, Sendable, Equatable {
        package var name = ""
        package var visits = 0
        package var friends: [Int: Int] = [:]
    }

    package static let identifier = "profile"
    package static func initialDomainState(in context: HostContext) -> DomainState { DomainState() }

    package static func interactor(in context: HostContext) -> Interact<DomainState, Action> {
        Interact { state, action in
            switch action {
            case .rename(let name): state.name = name
            case .visit: state.visits += 1
            case .befriend(let friend): state.friends[friend] = 0
            case .greet(let friend): state.friends[friend, default: 0] += 1
            case .nothing: break
            }
            return .none
        }
    }

    package static func reducer() -> BuildViewState<DomainState, ProfileState> {
        BuildViewState(initial: { _ in ProfileState() }) { state, view in
            view.name = state.name
            view.visits = state.visits
            view.friends = state.friends.sorted { $0.key < $1.key }.map { FriendState(id: $0.key, greetings: $0.value) }
        }
    }
}

package struct ProfileState: ObservableState, Codable, Equatable, Sendable {
    package var _$observationRegistrar = ObservationStateRegistrar()
    private var _name = ""
    private var _visits = 0
    private var _friends: [FriendState] = []

    package init() {}

    package var name: String {
        get {
            _$observationRegistrar.access(self, keyPath: \.name)
            return _name
        }
        set { _name = newValue }
    }

    package var visits: Int {
        get {
            _$observationRegistrar.access(self, keyPath: \.visits)
            return _visits
        }
        set { _visits = newValue }
    }

    package var friends: [FriendState] {
        get {
            _$observationRegistrar.access(self, keyPath: \.friends)
            return _friends
        }
        set { _friends = newValue }
    }

    package var _$id: ObservableStateID { _$observationRegistrar.id }

    package mutating func _$willModify() { _$observationRegistrar._$willModify() }

    package mutating func _$takePlace(of shown: Self, _ changes: inout _ObservationChanges) -> Bool {
        _$observationRegistrar.takePlace(of: shown._$observationRegistrar, isSame: true, changes)
        if !changes.settle(&_name, over: shown._name) { changes.note(\.name, of: shown, _$observationRegistrar) }
        if !changes.settle(&_visits, over: shown._visits) { changes.note(\.visits, of: shown, _$observationRegistrar) }
        if !changes.settle(&_friends, over: shown._friends) {
            changes.note(\.friends, of: shown, _$observationRegistrar)
        }
        return true
    }
}

package struct FriendState: ObservableState, Codable, Identifiable, Equatable, Sendable {
    package var _$observationRegistrar = ObservationStateRegistrar()
    package let id: Int
    private var _greetings: Int

    init(id: Int, greetings: Int) {
        self.id = id
        _greetings = greetings
    }

    package var greetings: Int {
        get {
            _$observationRegistrar.access(self, keyPath: \.greetings)
            return _greetings
        }
        set { _greetings = newValue }
    }

    package var _$id: ObservableStateID { _$observationRegistrar.id }

    package mutating func _$willModify() { _$observationRegistrar._$willModify() }

    package mutating func _$takePlace(of shown: Self, _ changes: inout _ObservationChanges) -> Bool {
        let isSame = _$isSameValue(id, shown.id)
        _$observationRegistrar.takePlace(of: shown._$observationRegistrar, isSame: isSame, changes)
        if !changes.settle(&_greetings, over: shown._greetings) {
            changes.note(\.greetings, of: shown, _$observationRegistrar)
        }
        return isSame
    }
}
