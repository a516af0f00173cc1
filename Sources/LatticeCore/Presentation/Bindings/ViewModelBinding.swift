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
