import LatticeCoding
import LatticeCore

/// Checks that the patch between two states, applied to the old one, leads to the new one.
///
/// - Returns: A message about the problem, or nil if there is none or if the state is sent as a whole.
func patchProblem<State, Action>(from old: State, to new: State, after action: Action) -> String? {
    func problem<Known: Patchable>(as type: Known.Type) -> String? {
        guard let old = old as? Known, let new = new as? Known else { return nil }
        var patched = old
        let isSame: Bool
        do {
            if let patch = try new.patch(from: old) { try patched.apply(patch) }
            // The encoded states are compared, because `==` may ignore a part, may compare a part that is not sent, and
            // returns false for a NaN and itself.
            isSame = try CBOREncoder().encode(patched) == CBOREncoder().encode(new)
        } catch {
            return FailureText.unusablePatch(of: type, after: action, error)
        }
        return isSame ? nil : FailureText.wrongPatch(to: new, after: action, patched: patched)
    }
    guard let type = State.self as? any Patchable.Type else { return nil }
    return problem(as: type)
}
