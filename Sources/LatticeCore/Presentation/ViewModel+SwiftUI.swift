#if canImport(SwiftUI)
public import SwiftUI

// The only file that imports SwiftUI. It converts the portable bindings of the folder Bindings into SwiftUI bindings.

extension Bindable {
    /// Returns a property of the view state: `$viewModel.name.sending(\.nameChanged)`.
    public subscript<F: FeatureTypes, Member>(
        dynamicMember keyPath: KeyPath<F.ViewState, Member>
    ) -> _ViewModelBindingOf<F, Member> where Value == ViewModel<F> {
        wrappedValue.bindings[dynamicMember: keyPath]
    }

    /// Returns the payload of a case of the view state: `$viewModel.editing.name.sending(\.nameChanged)`.
    public subscript<F: FeatureTypes, Case>(
        dynamicMember path: KeyPath<F.ViewState.AllCasePaths, AnyCasePath<F.ViewState, Case>>
    ) -> _ViewModelCaseBinding<F, Case> where Value == ViewModel<F>, F.ViewState: CasePathable {
        wrappedValue.bindings[dynamicMember: path]
    }
}

extension Binding {
    /// Returns a property of the view state of a view model that is stored in `@State`.
    public subscript<F: FeatureTypes, Member>(
        dynamicMember keyPath: KeyPath<F.ViewState, Member>
    ) -> _ViewModelBindingOf<F, Member> where Value == ViewModel<F> {
        wrappedValue.bindings[dynamicMember: keyPath]
    }

    /// Returns the payload of a case of the view state of a view model that is stored in `@State`.
    public subscript<F: FeatureTypes, Case>(
        dynamicMember path: KeyPath<F.ViewState.AllCasePaths, AnyCasePath<F.ViewState, Case>>
    ) -> _ViewModelCaseBinding<F, Case> where Value == ViewModel<F>, F.ViewState: CasePathable {
        wrappedValue.bindings[dynamicMember: path]
    }
}

extension Binding {
    /// Creates a binding that reads the value of `event` and sends new values through it.
    @MainActor
    public init(_ event: EventBinding<Value>) {
        self.init(get: { @MainActor in event.value }, set: { @MainActor in event.value = $0 })
    }
}

extension _ViewModelBinding where F.Action: CasePathable {
    /// Returns a binding that sends each written value as the payload of `action`.
    @MainActor
    public func sending(_ action: CaseKeyPath<F.Action, Value>) -> Binding<Value> {
        Binding(sending(action) as EventBinding<Value>)
    }
}

extension _ViewModelCaseBinding where F.Action: CasePathable {
    /// Returns a binding to the whole payload, which is nil while another case is active. The binding does not send
    /// nil, and it sends nothing while another case is active.
    @MainActor
    public func sendingIfActive(_ action: CaseKeyPath<F.Action, Case>) -> Binding<Case?> {
        Binding(sendingIfActive(action) as EventBinding<Case?>)
    }
}

extension _ViewModelCaseMemberBinding where F.Action: CasePathable {
    /// Returns a binding for a view that is shown only while the case is active.
    ///
    /// During a transition, a disappearing view may read and write once more. It then reads the last value that the
    /// binding has read, and a written value is not sent. Each binding reports this once as an issue.
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

    /// Returns a binding that reads `defaultValue` while another case is active. A value written then is not sent.
    @MainActor
    public func sending(_ action: CaseKeyPath<F.Action, Member>, default defaultValue: Member) -> Binding<Member> {
        Binding(sending(action, default: defaultValue) as EventBinding<Member>)
    }

    /// Returns a binding that is nil while another case is active. The binding does not send nil, and it sends nothing
    /// while another case is active.
    @MainActor
    public func sendingIfActive(_ action: CaseKeyPath<F.Action, Member>) -> Binding<Member?> {
        Binding(sendingIfActive(action) as EventBinding<Member?>)
    }
}
#endif
