/// The payload of a case of a view state, or of an enum in it.
@dynamicMemberLookup
public struct _ViewModelCaseBinding<F: FeatureTypes, Case> {
    let viewModel: ViewModel<F>
    let extract: (F.ViewState) -> Case?

    /// A property of the payload.
    public subscript<Member>(
        dynamicMember keyPath: KeyPath<Case, Member>
    ) -> _ViewModelCaseMemberBinding<F, Case, Member> {
        _ViewModelCaseMemberBinding(base: self, keyPath: keyPath)
    }

    /// The payload while its case is active.
    @MainActor var active: Case? { extract(viewModel.viewState) }
}

extension _ViewModelCaseBinding where F.Action: CasePathable {
    /// The whole payload, nil while another case is active. What is written then, and nil, is not sent.
    @_disfavoredOverload
    @MainActor
    public func sendingIfActive(_ action: CaseKeyPath<F.Action, Case>) -> EventBinding<Case?> {
        let action = AnyCasePath(action)
        return EventBinding(
            read: { active },
            send: { value in
                guard let value, active != nil else { return }
                viewModel.sendViewEvent(action.embed(value))
            }
        )
    }
}
