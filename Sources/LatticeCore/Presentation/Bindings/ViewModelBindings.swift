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
