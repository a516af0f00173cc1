/// The properties of a view state, as values that are written by sending events:
/// `viewModel.bindings.name.sending(\.nameChanged)`.
///
/// With SwiftUI, write `$viewModel.name` instead.
@dynamicMemberLookup
public struct ViewModelBindings<F: FeatureTypes> {
    let viewModel: ViewModel<F>

    /// Returns a property of the view state.
    public subscript<Member>(dynamicMember keyPath: KeyPath<F.ViewState, Member>) -> _ViewModelBindingOf<F, Member> {
        _ViewModelBinding(viewModel: viewModel, keyPath: keyPath)
    }
}

extension ViewModelBindings where F.ViewState: CasePathable {
    /// Returns the payload of a case of the view state.
    public subscript<Case>(dynamicMember path: CaseKeyPath<F.ViewState, Case>) -> _ViewModelCaseBinding<F, Case> {
        let path = AnyCasePath(path)
        return _ViewModelCaseBinding(viewModel: viewModel) { path.extract(from: $0) }
    }
}

extension ViewModel {
    /// The properties of the view state, as values that are written by sending events.
    public nonisolated var bindings: ViewModelBindings<F> {
        ViewModelBindings(viewModel: self)
    }
}

/// A value that is read from a view model and written by sending it an event.
///
/// An event binding works without SwiftUI, for example in a terminal program or a test. With SwiftUI, convert it with
/// `Binding(_:)`.
///
/// ```swift
/// let name = viewModel.bindings.name.sending(\.nameChanged)
/// name.value = "Ada"          // sends .nameChanged("Ada")
/// print(name.value)           // the current value of the view state
/// ```
@MainActor
public struct EventBinding<Value> {
    private let read: () -> Value
    private let send: (Value) -> Void

    init(read: @escaping () -> Value, send: @escaping (Value) -> Void) {
        self.read = read
        self.send = send
    }

    /// The current value. Reading it observes the view state, and writing it sends an event. If the feature runs in
    /// this process, the view state has changed when the write returns.
    public var value: Value {
        get { read() }
        nonmutating set { send(newValue) }
    }
}

/// A property of a view state. Call `sending(_:)` to choose the event that writes it.
@dynamicMemberLookup
public struct _ViewModelBinding<F: FeatureTypes, Value> {
    let viewModel: ViewModel<F>
    let keyPath: KeyPath<F.ViewState, Value>

    /// Returns a property of this property.
    public subscript<Member>(dynamicMember keyPath: KeyPath<Value, Member>) -> _ViewModelBinding<F, Member> {
        _ViewModelBinding<F, Member>(viewModel: viewModel, keyPath: self.keyPath.appending(path: keyPath))
    }
}

extension _ViewModelBinding where F.Action: CasePathable {
    /// Returns a binding that sends each written value as the payload of `action`.
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
    /// Returns the payload of a case of this property.
    public subscript<Case>(dynamicMember path: CaseKeyPath<Value, Case>) -> _ViewModelCaseBinding<F, Case> {
        let path = AnyCasePath(path)
        return _ViewModelCaseBinding(viewModel: viewModel) { [keyPath] in path.extract(from: $0[keyPath: keyPath]) }
    }
}

/// A property of a view state. This name exists for compatibility with an earlier version.
public typealias _ViewModelBindingOf<F: FeatureTypes, Value> = _ViewModelBinding<F, Value>
