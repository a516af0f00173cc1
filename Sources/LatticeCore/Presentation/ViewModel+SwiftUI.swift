#if canImport(SwiftUI)
public import SwiftUI

// The only file that knows SwiftUI: it turns what Bindings/ offers everywhere into bindings of SwiftUI.

extension Bindable {
    /// A property of the view state: `$viewModel.name.sending(\.nameChanged)`.
    public subscript<F: FeatureTypes, Member>(
        dynamicMember keyPath: KeyPath<F.ViewState, Member>
    ) -> _ViewModelBindingOf<F, Member> where Value == ViewModel<F> {
        wrappedValue.bindings[dynamicMember: keyPath]
    }

    /// The payload of a case of the view state: `$viewModel.editing.name.sending(\.nameChanged)`.
    public subscript<F: FeatureTypes, Case>(
        dynamicMember path: KeyPath<F.ViewState.AllCasePaths, AnyCasePath<F.ViewState, Case>>
    ) -> _ViewModelCaseBinding<F, Case> where Value == ViewModel<F>, F.ViewState: CasePathable {
        wrappedValue.bindings[dynamicMember: path]
    }
}

extension Binding {
    /// A property of the view state of a view model that is kept in `@State`.
    public subscript<F: FeatureTypes, Member>(
        dynamicMember keyPath: KeyPath<F.ViewState, Member>
    ) -> _ViewModelBindingOf<F, Member> where Value == ViewModel<F> {
        wrappedValue.bindings[dynamicMember: keyPath]
    }

    /// The payload of a case of the view state of a view model that is kept in `@State`.
    public subscript<F: FeatureTypes, Case>(
        dynamicMember path: KeyPath<F.ViewState.AllCasePaths, AnyCasePath<F.ViewState, Case>>
    ) -> _ViewModelCaseBinding<F, Case> where Value == ViewModel<F>, F.ViewState: CasePathable {
        wrappedValue.bindings[dynamicMember: path]
    }
}

extension Binding {
    /// A binding that reads and sends as `event` does.
    @MainActor
    public init(_ event: EventBinding<Value>) {
        self.init(get: { @MainActor in event.value }, set: { @MainActor in event.value = $0 })
    }
}

extension _ViewModelBinding where F.Action: CasePathable {
    /// What is written is sent as the payload of `action`.
    @MainActor
    public func sending(_ action: CaseKeyPath<F.Action, Value>) -> Binding<Value> {
        Binding(sending(action) as EventBinding<Value>)
    }
}

extension _ViewModelCaseBinding where F.Action: CasePathable {
    /// The whole payload, nil while another case is active. What is written then, and nil, is not sent.
    @MainActor
    public func sendingIfActive(_ action: CaseKeyPath<F.Action, Case>) -> Binding<Case?> {
        Binding(sendingIfActive(action) as EventBinding<Case?>)
    }
}

extension _ViewModelCaseMemberBinding where F.Action: CasePathable {
    /// For a view that is shown only while the case is active.
    ///
    /// During a transition, a view that is about to disappear may read and write once more. It reads the value that it
    /// has seen last; what it writes is not sent. Both are reported, once for each binding.
    @MainActor
    public func sending(
        _ action: CaseKeyPath<F.Action, Member>,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) -> Binding<Member> {
        Binding(
            sending(action, fileID: fileID, filePath: filePath, line: line, column: column) as EventBinding<Member>
        )
    }

    /// Reads `defaultValue` while another case is active; what is written then is not sent.
    @MainActor
    public func sending(_ action: CaseKeyPath<F.Action, Member>, default defaultValue: Member) -> Binding<Member> {
        Binding(sending(action, default: defaultValue) as EventBinding<Member>)
    }

    /// Nil while another case is active. What is written then, and nil, is not sent.
    @MainActor
    public func sendingIfActive(_ action: CaseKeyPath<F.Action, Member>) -> Binding<Member?> {
        Binding(sendingIfActive(action) as EventBinding<Member?>)
    }
}
#endif
