//! How much memory is free for this process: what the machine has, what its container allows, what its shell allows.

use std::path::{Path, PathBuf};

/// Where a system tells about itself; tests have folders of their own.
pub(super) struct System {
    root: PathBuf,
}

impl System {
    pub(super) fn here() -> Self {
        Self { root: PathBuf::from("/") }
    }

    /// Bytes that this process could still take; `None` where nothing tells.
    pub(super) fn free(&self) -> Option<u64> {
        let groups = self.read("proc/self/cgroup").map(|text| self.groups(&text)).unwrap_or_default();
        let of_groups = groups.into_iter().filter_map(|group| group.free());
        self.machine().into_iter().chain(of_groups).chain(self.address_space()).min()
    }

    fn read(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.root.join(path)).ok()
    }

    fn machine(&self) -> Option<u64> {
        kibibytes(&self.read("proc/meminfo")?, "MemAvailable:")
    }

    /// What `ulimit -v` leaves.
    fn address_space(&self) -> Option<u64> {
        let limits = self.read("proc/self/limits")?;
        let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
        let limit: u64 = line.split_whitespace().next()?.parse().ok()?;
        let used = kibibytes(&self.read("proc/self/status")?, "VmSize:").unwrap_or(0);
        Some(limit.saturating_sub(used))
    }

    /// The control groups that the process is in, with all above them: each has a limit of its own. In a container the path may
    /// be that outside of it, and what the container sees is its own group's folder.
    fn groups(&self, text: &str) -> Vec<Group> {
        let mut found = Vec::new();
        for line in text.lines() {
            let mut fields = line.splitn(3, ':');
            let (Some(_), Some(controllers), Some(path)) = (fields.next(), fields.next(), fields.next()) else {
                continue;
            };
            let mounts: &[(&str, bool)] = match controllers {
                "" => &[("sys/fs/cgroup", true), ("sys/fs/cgroup/unified", true)],
                names if names.split(',').any(|name| name == "memory") => &[("sys/fs/cgroup/memory", false)],
                _ => &[],
            };
            for (mount, unified) in mounts {
                let mount = self.root.join(mount);
                let inside = mount.join(path.trim_start_matches('/'));
                let all = inside.ancestors().take_while(|folder| folder.starts_with(&mount));
                found.extend(all.map(|folder| Group { folder: folder.to_path_buf(), unified: *unified }));
            }
        }
        found
    }
}

/// A control group, of the second version (`unified`) or of the first.
struct Group {
    folder: PathBuf,
    unified: bool,
}

impl Group {
    fn free(&self) -> Option<u64> {
        let (limit, used, cached) = match self.unified {
            true => ("memory.max", "memory.current", "inactive_file "),
            false => ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "),
        };
        let number = |name: &str| read_number(&self.folder.join(name));
        // A group without a limit says `max`, or a number larger than any memory.
        let limit = number(limit)?;
        // What was read of files is counted as used, and given up when it is needed.
        let stat = std::fs::read_to_string(self.folder.join("memory.stat")).unwrap_or_default();
        let cached = stat.lines().find_map(|line| line.strip_prefix(cached)?.trim().parse::<u64>().ok()).unwrap_or(0);
        let used = number(used).unwrap_or(0).saturating_sub(cached);
        Some(limit.saturating_sub(used))
    }
}

fn read_number(path: &Path) -> Option<u64> {
    std::fs::read_to_string(path).ok()?.trim().parse().ok()
}

fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|count| 1024 * count)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEBIBYTE: u64 = 1 << 20;

    /// A system in a folder of its own, with 16 GiB free.
    fn system(files: &[(&str, &str)]) -> (tempfile::TempDir, System) {
        let folder = tempfile::tempdir().unwrap();
        let usual = [("proc/meminfo", "MemTotal: 33554432 kB\nMemAvailable:   16777216 kB\n")];
        for (name, text) in usual.iter().chain(files) {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let root = folder.path().to_path_buf();
        (folder, System { root })
    }

    fn free(files: &[(&str, &str)]) -> Option<u64> {
        system(files).1.free()
    }

    #[test]
    fn without_limits_it_is_what_the_machine_has() {
        assert_eq!(free(&[]), Some(16 << 30));
        let v2 = [("proc/self/cgroup", "0::/user\n"), ("sys/fs/cgroup/user/memory.max", "max\n")];
        assert_eq!(free(&v2), Some(16 << 30));
        let v1 = [
            ("proc/self/cgroup", "4:memory:/\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
        ];
        assert_eq!(free(&v1), Some(16 << 30));
    }

    #[test]
    fn the_limit_of_a_container_of_the_second_version_counts_wherever_it_stands() {
        let stat = "anon 1\ninactive_file 41943040\nactive_file 7\n";
        let own = [
            ("proc/self/cgroup", "0::/a/b\n"),
            ("sys/fs/cgroup/a/b/memory.max", "max\n"),
            ("sys/fs/cgroup/a/memory.max", "314572800\n"),
            ("sys/fs/cgroup/a/memory.current", "104857600\n"),
            ("sys/fs/cgroup/a/memory.stat", stat),
        ];
        assert_eq!(free(&own), Some(240 * MEBIBYTE));
        // Inside the container its own group is the root.
        let inside = [("proc/self/cgroup", "0::/../x\n"), ("sys/fs/cgroup/memory.max", "314572800\n")];
        assert_eq!(free(&inside), Some(300 * MEBIBYTE));
    }

    #[test]
    fn the_limit_of_a_container_of_the_first_version_counts_too() {
        let files = [
            ("proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/docker/abc\n0::/\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "314572800\n"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "209715200\n"),
            ("sys/fs/cgroup/memory/memory.stat", "cache 1\ntotal_inactive_file 104857600\n"),
        ];
        assert_eq!(free(&files), Some(200 * MEBIBYTE));
    }

    #[test]
    fn the_limit_of_a_shell_counts() {
        let files = [
            ("proc/self/limits", "Limit  Soft  Hard  Units\nMax address space   1073741824   unlimited   bytes\n"),
            ("proc/self/status", "VmSize:\t  524288 kB\n"),
        ];
        assert_eq!(free(&files), Some(512 * MEBIBYTE));
        assert_eq!(free(&[("proc/self/limits", "Max address space   unlimited  unlimited bytes\n")]), Some(16 << 30));
    }
}
