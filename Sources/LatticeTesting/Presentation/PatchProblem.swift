import LatticeCoding
import LatticeCore

/// What is wrong with the change of a state that travels as changes: whoever had the old state and gets the change has
/// to come to the new one.
///
/// - Returns: Nil if nothing is, or if the state travels as a whole.
func patchProblem<State, Action>(from old: State, to new: State, after action: Action) -> String? {
    func problem<Known: Patchable>(as type: Known.Type) -> String? {
        guard let old = old as? Known, let new = new as? Known else { return nil }
        var patched = old
        let isSame: Bool
        do {
            if let patch = try new.patch(from: old) { try patched.apply(patch) }
            // As they travel: `==` may leave out a part, may look at one that stays here, and tells a NaN from itself.
            isSame = try CBOREncoder().encode(patched) == CBOREncoder().encode(new)
        } catch {
            return FailureText.unusablePatch(of: type, after: action, error)
        }
        return isSame ? nil : FailureText.wrongPatch(to: new, after: action, patched: patched)
    }
    guard let type = State.self as? any Patchable.Type else { return nil }
    return problem(as: type)
}
