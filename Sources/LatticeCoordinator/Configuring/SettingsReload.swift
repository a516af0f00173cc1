/// The result of reading the settings of a coordinator again.
public struct SettingsReload: Sendable, Hashable, CustomStringConvertible {
    /// The settings that have a new value, such as "logLevel: info → debug". They have taken effect, or do so with the
    /// next worker or instance.
    public let changed: [String]
    /// The settings whose new value takes effect only when the coordinator starts again.
    public let kept: [String]

    /// Sentences for the log.
    public var description: String {
        var sentences = ["The settings were read again."]
        if changed.isEmpty, kept.isEmpty { sentences.append("None has changed.") }
        if !changed.isEmpty { sentences.append("Changed: \(changed.joined(separator: ", ")).") }
        if !kept.isEmpty {
            sentences.append(
                "These keep their value until the coordinator starts again: \(kept.joined(separator: ", "))."
            )
        }
        return sentences.joined(separator: " ")
    }

    /// Compares two configurations, and their groups.
    init(from old: CoordinatorConfiguration, to new: CoordinatorConfiguration) {
        var (changed, kept): ([String], [String]) = ([], [])
        let (oldOuter, newOuter) = (old, new)
        func compare(_ old: CoordinatorConfiguration, _ new: CoordinatorConfiguration, group: String?) {
            for setting in Setting.all where group == nil || setting.isOfGroups {
                let (before, after) = (setting.value.text(in: old), setting.value.text(in: new))
                guard before != after else { continue }
                // A group that has no value of its own changes with the coordinator.
                let outer = (setting.value.text(in: oldOuter), setting.value.text(in: newOuter))
                if group != nil, outer == (before, after) { continue }
                let line = "\(ReadSettings.Name(group: group, key: setting.key)): \(before) → \(after)"
                if setting.effect == .nextStart { kept.append(line) } else { changed.append(line) }
            }
        }
        compare(old, new, group: nil)
        for group in old.groupNames { compare(old.scope(ofGroup: group), new.scope(ofGroup: group), group: group) }
        (self.changed, self.kept) = (changed, kept)
    }
}
