/// The payload of a case of a view state, or of a case of an enum in it.
@dynamicMemberLookup
public struct _ViewModelCaseBinding<F: FeatureTypes, Case> {
    let viewModel: ViewModel<F>
    let extract: (F.ViewState) -> Case?

    /// Returns a property of the payload.
    public subscript<Member>(
        dynamicMember keyPath: KeyPath<Case, Member>
    ) -> _ViewModelCaseMemberBinding<F, Case, Member> {
        _ViewModelCaseMemberBinding(part: part(keyPath))
    }

    fileprivate func part<Member>(_ keyPath: KeyPath<Case, Member>) -> _ViewModelCaseBinding<F, Member> {
        _ViewModelCaseBinding<F, Member>(viewModel: viewModel) { [extract] in
            extract($0).map { $0[keyPath: keyPath] }
        }
    }

    /// The payload if the case is active, else nil.
    @MainActor fileprivate var active: Case? { extract(viewModel.viewState) }
}

/// A property of the payload of a case.
@dynamicMemberLookup
public struct _ViewModelCaseMemberBinding<F: FeatureTypes, Case, Member> {
    fileprivate let part: _ViewModelCaseBinding<F, Member>

    /// Returns a property of this property.
    public subscript<Nested>(
        dynamicMember keyPath: KeyPath<Member, Nested>
    ) -> _ViewModelCaseMemberBinding<F, Case, Nested> {
        _ViewModelCaseMemberBinding<F, Case, Nested>(part: part.part(keyPath))
    }
}

extension _ViewModelCaseBinding where F.Action: CasePathable {
    /// Returns a binding to the whole payload, which is nil while another case is active. The binding does not send
    /// nil, and it sends nothing while another case is active.
    @_disfavoredOverload
    @MainActor
    public func sendingIfActive(_ action: CaseKeyPath<F.Action, Case>) -> EventBinding<Case?> {
        let action = AnyCasePath(action)
        return EventBinding(
            read: { active },
            send: { if let value = $0 { _ = send(value, as: action) } }
        )
    }

    /// Sends a value if the case is active.
    /// - Returns: False if another case is active. Then nothing is sent.
    @MainActor fileprivate func send(_ value: Case, as action: AnyCasePath<F.Action, Case>) -> Bool {
        guard active != nil else { return false }
        viewModel.sendViewEvent(action.embed(value))
        return true
    }
}

extension _ViewModelCaseMemberBinding where F.Action: CasePathable {
    /// Returns a binding for a view that is shown only while the case is active.
    ///
    /// During a transition, a disappearing view may read and write once more. It then reads the last value that the
    /// binding has read, and a written value is not sent. Each binding reports this once as an issue. A binding that
    /// was created while another case was active has no last value, and reading it before the case becomes active
    /// traps.
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
        let inactive = InactiveCase(lastSeen: part.active, site: CallSite(fileID, filePath, line, column))
        return EventBinding(
            read: { inactive.read(part.active) },
            send: { value in
                if !part.send(value, as: action) { inactive.reportWrite() }
            }
        )
    }

    /// Returns a binding that reads `defaultValue` while another case is active. A value written then is not sent.
    @_disfavoredOverload
    @MainActor
    public func sending(
        _ action: CaseKeyPath<F.Action, Member>,
        default defaultValue: Member
    ) -> EventBinding<Member> {
        let action = AnyCasePath(action)
        return EventBinding(
            read: { part.active ?? defaultValue },
            send: { _ = part.send($0, as: action) }
        )
    }

    /// Returns a binding that is nil while another case is active. The binding does not send nil, and it sends nothing
    /// while another case is active.
    @_disfavoredOverload
    @MainActor
    public func sendingIfActive(_ action: CaseKeyPath<F.Action, Member>) -> EventBinding<Member?> {
        part.sendingIfActive(action)
    }
}

/// The behaviour of a binding to a property of a case while another case is active.
@MainActor
final class InactiveCase<Member> {
    private var lastSeen: Member?
    private var isReported = false
    private let site: CallSite

    init(lastSeen: Member?, site: CallSite) {
        self.lastSeen = lastSeen
        self.site = site
    }

    /// Returns the value of the property, or its last value if the case is not active.
    func read(_ active: Member?) -> Member {
        if let active {
            lastSeen = active
            return active
        }
        guard let lastSeen else {
            fatalError(  // A programming error in the view. The forms with a default value or nil do not trap.
                """
                \(site.fileID):\(site.line): a binding to a property of a case was read, and its case \
                has not been active since the binding was made. \(Self.advice)
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
        site.report("A binding to a property of a case \(what). \(Self.advice)")
    }

    private static var advice: String {
        "Show it only while its case is active, or use sending(_:default:) or sendingIfActive(_:)."
    }
}
