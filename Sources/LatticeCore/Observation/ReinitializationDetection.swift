/// Finds view models that are made again and again at one place in the source, usually in a `body` that SwiftUI
/// evaluates whenever something changes: each new one starts from the initial state, and the effects of the old one
/// are cancelled.
///
/// Off unless it is asked for, at the start of a program that is being debugged:
///
/// ```swift
/// ReinitializationDetection.limit = 5
/// ```
///
/// It goes by the place only, and cannot know what is right. It also reports what is no mistake: the rows of a list
/// with a view model each, a screen that is opened many times, a loop in a test. Which of these it is, the number of
/// view models that still exist helps to tell. Each place is reported once.
///
/// Does nothing in a release build.
@MainActor
public enum ReinitializationDetection {
    /// How many view models may be made at one place before it is reported; nil, the default, for any number. Setting
    /// it begins to count anew.
    public static var limit: Int? {
        didSet { places = [:] }
    }

    /// What was made at one place: bounded by the limit, and nothing any more once it is reported.
    private enum Made {
        case counted([WeakReference])
        case reported
    }

    private struct WeakReference {
        weak var object: AnyObject?
    }

    private static var places: [String: Made] = [:]

    /// Notes a view model that was just made.
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
        site.report(
            """
            \(made.count) view models have been made at \(place), and \(made.count { $0.object != nil }) of \
            them exist. One that is made anew starts from its initial state, and the effects of the one before are \
            cancelled. Make it once and keep it as long as it is shown: in @State, or in a property of its owner. If each \
            of them shows something else, as the rows of a list do, this is no mistake; raise \
            ReinitializationDetection.limit then.
            """
        )
        #endif
    }
}
