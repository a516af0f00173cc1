/// Detects view models that are created repeatedly at one place in the source. The usual cause is a SwiftUI `body`,
/// which is evaluated whenever something changes. Each new view model starts from the initial state, and the effects of
/// the previous one are cancelled.
///
/// The detection is off by default. Turn it on at the start of a program that you debug:
///
/// ```swift
/// ReinitializationDetection.limit = 5
/// ```
///
/// The detection considers only the place in the source. It therefore also reports code that is correct: the rows of a
/// list with a view model each, a screen that is opened many times, or a loop in a test. The report contains the number
/// of view models that still exist, which helps to distinguish these cases. Each place is reported once.
///
/// In a release build the detection does nothing.
@MainActor
public enum ReinitializationDetection {
    /// The number of view models that may be created at one place before the place is reported. The default is nil, for
    /// no limit. Setting the limit resets the counts.
    public static var limit: Int? {
        didSet { places = [:] }
    }

    /// The view models of one place. Their number is bounded by the limit, and they are dropped after the report.
    private enum Made {
        case counted([WeakReference])
        case reported
    }

    private struct WeakReference {
        weak var object: AnyObject?
    }

    private static var places: [String: Made] = [:]

    /// Records a view model that was just created.
    static func note(_ viewModel: AnyObject, at site: CallSite) {
        #if DEBUG
        guard let limit else { return }
        let place = "\(site.fileID):\(site.line)"
        guard case .counted(var made) = places[place, default: .counted([])] else { return }
        made.append(WeakReference(object: viewModel))
        guard made.count > limit else {
            places[place] = .counted(made)
            return
        }
        places[place] = .reported
        let existing = made.count { $0.object != nil }
        site.report(
            """
            \(made.count == 1 ? "1 view model has" : "\(made.count) view models have") been created at \(place). \
            Of these, \(existing) still \(existing == 1 ? "exists" : "exist"). A new view model starts from its \
            initial state, and the effects of the previous one are cancelled. Create it once and keep it while it is \
            shown: in @State, or in a property of its owner. If each of them shows something different, like the rows \
            of a list, this is not a mistake. In that case, raise ReinitializationDetection.limit.
            """
        )
        #endif
    }
}
