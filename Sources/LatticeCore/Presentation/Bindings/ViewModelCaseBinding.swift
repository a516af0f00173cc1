import IssueReporting

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

/// A property of the payload of a case.
@dynamicMemberLookup
public struct _ViewModelCaseMemberBinding<F: FeatureTypes, Case, Member> {
    let base: _ViewModelCaseBinding<F, Case>
    let keyPath: KeyPath<Case, Member>

    /// A property of the property.
    public subscript<Nested>(
        dynamicMember keyPath: KeyPath<Member, Nested>
    ) -> _ViewModelCaseMemberBinding<F, Case, Nested> {
        _ViewModelCaseMemberBinding<F, Case, Nested>(base: base, keyPath: self.keyPath.appending(path: keyPath))
    }

    /// The property while its case is active.
    @MainActor fileprivate var active: Member? { base.active?[keyPath: keyPath] }
}

extension _ViewModelCaseMemberBinding where F.Action: CasePathable {
    /// For what is shown only while the case is active.
    ///
    /// During a transition, what is about to disappear may read and write once more. It reads the value that it has
    /// seen last; what it writes is not sent. Both are reported, once for each binding. A binding that is made while
    /// another case is active has seen nothing yet: reading it before the case is active ends the program.
    @_disfavoredOverload
    @MainActor
    public func sending(
        _ action: CaseKeyPath<F.Action, Member>,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) -> EventBinding<Member> {
        let action = AnyCasePath(action)
        let inactive = InactiveCase(lastSeen: active, fileID: fileID, filePath: filePath, line: line, column: column)
        return EventBinding(
            read: { inactive.read(active) },
            send: { value in
                if !send(value, as: action) { inactive.reportWrite() }
            }
        )
    }

    /// Reads `defaultValue` while another case is active; what is written then is not sent.
    @_disfavoredOverload
    @MainActor
    public func sending(
        _ action: CaseKeyPath<F.Action, Member>,
        default defaultValue: Member
    ) -> EventBinding<Member> {
        let action = AnyCasePath(action)
        return EventBinding(
            read: { active ?? defaultValue },
            send: { _ = send($0, as: action) }
        )
    }

    /// Nil while another case is active. What is written then, and nil, is not sent.
    @_disfavoredOverload
    @MainActor
    public func sendingIfActive(_ action: CaseKeyPath<F.Action, Member>) -> EventBinding<Member?> {
        let action = AnyCasePath(action)
        return EventBinding(
            read: { active },
            send: { if let value = $0 { _ = send(value, as: action) } }
        )
    }

    /// - Returns: false if another case is active; then nothing is sent.
    @MainActor private func send(_ value: Member, as action: AnyCasePath<F.Action, Member>) -> Bool {
        guard base.active != nil else { return false }
        base.viewModel.sendViewEvent(action.embed(value))
        return true
    }
}

/// What a binding to a property of a case does while another case is active.
@MainActor
final class InactiveCase<Member> {
    private var lastSeen: Member?
    private var isReported = false
    private let fileID: StaticString
    private let filePath: StaticString
    private let line: UInt
    private let column: UInt

    init(lastSeen: Member?, fileID: StaticString, filePath: StaticString, line: UInt, column: UInt) {
        self.lastSeen = lastSeen
        self.fileID = fileID
        self.filePath = filePath
        self.line = line
        self.column = column
    }

    /// The value of the property, or the one that it had last.
    func read(_ active: Member?) -> Member {
        if let active {
            lastSeen = active
            return active
        }
        guard let lastSeen else {
            fatalError(  // A mistake of the view; the forms with a default and with nil have a value.
                """
                \(fileID):\(line): a binding to a property of a case was read, and its case has not been active since \
                the binding was made. \(Self.advice)
                """
            )
        }
        report("was read while another case was active, and returned the value it had last")
        return lastSeen
    }

    func reportWrite() {
        report("was written while another case was active, and sent nothing")
    }

    private func report(_ what: String) {
        guard !isReported else { return }
        isReported = true
        reportIssue(
            "A binding to a property of a case \(what). \(Self.advice)",
            fileID: fileID,
            filePath: filePath,
            line: line,
            column: column
        )
    }

    private static var advice: String {
        "Show it only while its case is active, or use sending(_:default:) or sendingIfActive(_:)."
    }
}
