/// The properties of a view state, to be bound to events: `viewModel.bindings.name.sending(\.nameChanged)`.
///
/// With SwiftUI, `$viewModel.name` is the same.
@dynamicMemberLookup
public struct ViewModelBindings<F: FeatureTypes> {
    let viewModel: ViewModel<F>

    public subscript<Member>(dynamicMember keyPath: KeyPath<F.ViewState, Member>) -> _ViewModelBindingOf<F, Member> {
        _ViewModelBinding(viewModel: viewModel, keyPath: keyPath)
    }
}

extension ViewModelBindings where F.ViewState: CasePathable {
    /// The payload of a case of the view state.
    public subscript<Case>(dynamicMember path: CaseKeyPath<F.ViewState, Case>) -> _ViewModelCaseBinding<F, Case> {
        let path = AnyCasePath(path)
        return _ViewModelCaseBinding(viewModel: viewModel) { path.extract(from: $0) }
    }
}

extension ViewModel {
    /// Properties of the view state that can be written, by sending events.
    public nonisolated var bindings: ViewModelBindings<F> {
        ViewModelBindings(viewModel: self)
    }
}

/// A value that is read from a view model and written by sending it an event.
///
/// What SwiftUI's `Binding` is made of where there is SwiftUI, and usable without: in a terminal, in a test.
///
/// ```swift
/// let name = viewModel.bindings.name.sending(\.nameChanged)
/// name.value = "Ada"          // sends .nameChanged("Ada")
/// print(name.value)           // what the view state says now
/// ```
@MainActor
public struct EventBinding<Value> {
    private let read: () -> Value
    private let send: (Value) -> Void

    init(read: @escaping () -> Value, send: @escaping (Value) -> Void) {
        self.read = read
        self.send = send
    }

    /// Reading observes the view state; writing sends an event, and what it does to the view state shows at once
    /// where the feature runs in this process.
    public var value: Value {
        get { read() }
        nonmutating set { send(newValue) }
    }
}

/// A property of a view state that an event is to be found for, with `sending(_:)`.
@dynamicMemberLookup
public struct _ViewModelBinding<F: FeatureTypes, Value> {
    let viewModel: ViewModel<F>
    let keyPath: KeyPath<F.ViewState, Value>

    /// A property of the property.
    public subscript<Member>(dynamicMember keyPath: KeyPath<Value, Member>) -> _ViewModelBinding<F, Member> {
        _ViewModelBinding<F, Member>(viewModel: viewModel, keyPath: self.keyPath.appending(path: keyPath))
    }
}

extension _ViewModelBinding where F.Action: CasePathable {
    /// What is written is sent as the payload of `action`.
    @_disfavoredOverload
    @MainActor
    public func sending(_ action: CaseKeyPath<F.Action, Value>) -> EventBinding<Value> {
        let action = AnyCasePath(action)
        return EventBinding(
            read: { [viewModel, keyPath] in viewModel[dynamicMember: keyPath] },
            send: { [viewModel] in viewModel.sendViewEvent(action.embed($0)) }
        )
    }
}

extension _ViewModelBinding where Value: CasePathable {
    /// The payload of a case of the property.
    public subscript<Case>(dynamicMember path: CaseKeyPath<Value, Case>) -> _ViewModelCaseBinding<F, Case> {
        let path = AnyCasePath(path)
        return _ViewModelCaseBinding(viewModel: viewModel) { [keyPath] in path.extract(from: $0[keyPath: keyPath]) }
    }
}

public typealias _ViewModelBindingOf<F: FeatureTypes, Value> = _ViewModelBinding<F, Value>
