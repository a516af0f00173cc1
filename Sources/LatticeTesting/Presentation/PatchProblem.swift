import LatticeCore

/// What is wrong with the change of a state that travels as changes: whoever had the old state and gets the change has
/// to come to the new one.
///
/// - Returns: Nil if nothing is, or if the state travels as a whole.
func patchProblem<State, Action>(from old: State, to new: State, after action: Action) -> String? {
    func problem<Known: Patchable>(as type: Known.Type) -> String? {
        guard let old = old as? Known, let new = new as? Known else { return nil }
        var patched = old
        do {
            if let patch = try new.patch(from: old) { try patched.apply(patch) }
        } catch {
            return FailureText.unusablePatch(of: type, after: action, error)
        }
        return patched == new ? nil : FailureText.wrongPatch(to: new, after: action, patched: patched)
    }
    guard let type = State.self as? any Patchable.Type else { return nil }
    return problem(as: type)
}
