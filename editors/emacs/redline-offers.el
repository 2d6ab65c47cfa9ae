;;; redline-offers.el --- Edits of Redline that wait after Emacs has ended  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Offers that wait are stored, since the server forgets them when their file
;; is closed or it ends: they are offered again when their file is opened with
;; the same text.

;;; Code:

(require 'cl-lib)
(require 'eglot)
(require 'jsonrpc)
(require 'redline-preview)

(declare-function redline--run "redline")
(declare-function redline--uri "redline")
(declare-function redline--show-outcome "redline")

(defconst redline-offers--pause 0.2
  "Seconds for which an offer must have been the same before it is stored.
Typing elsewhere moves it.")

(defconst redline-offers--most-age (* 7 24 3600)
  "Seconds after which a stored offer is deleted.")

(defvar redline-offers--timers (make-hash-table :test #'equal)
  "By the id of an edit, the timer that stores it.")

(defun redline-offers--folder ()
  "Return the folder of what is stored."
  (locate-user-emacs-file "redline-offers/"))

(defun redline-offers--prefix ()
  "Return how the names of the files for this buffer begin."
  (concat (secure-hash 'sha256 (encode-coding-string buffer-file-name 'utf-8)) "-"))

(defun redline-offers--path (id)
  "Return the path of the file for the edit ID of this buffer."
  (concat (redline-offers--folder) (redline-offers--prefix)
          (secure-hash 'sha256 id) ".eld"))

(defun redline-offers--joined (hunks)
  "Return what HUNKS do to this buffer as one change: (RANGE TEXT)."
  (let ((first (car (redline--rows (plist-get (elt hunks 0) :range))))
        (row nil) (parts nil))
    (seq-doseq (hunk hunks)
      (pcase-let ((`(,from . ,to) (redline--rows (plist-get hunk :range))))
        (when row
          (push (buffer-substring-no-properties (redline--line-start row)
                                                (redline--line-start from))
                parts))
        (push (redline--new-lines hunk) parts)
        (setq row to)))
    (let ((is-cut (and (= (redline--line-start row) (point-max)) (not (bolp))))
          (text (apply #'concat (nreverse parts))))
      (when (and is-cut (= first row))
        ;; A text without a final line end has no line there.
        (setq first (1- row)
              text (concat (buffer-substring-no-properties
                            (redline--line-start first) (point-max))
                           "\n" text)))
      (list (list :start (list :line first :character 0)
                  :end (list :line row :character 0))
            (if is-cut (string-remove-suffix "\n" text) text)))))

(defun redline-offers--write (path stored)
  "Write STORED to the file PATH, which only the user can read."
  (with-file-modes #o700
    (make-directory (file-name-directory path) t))
  ;; Renamed, so that a file is never half-written.
  (let ((part (concat path ".part"))
        (coding-system-for-write 'utf-8-emacs-unix)
        (print-length nil)
        (print-level nil))
    (with-file-modes #o600
      (write-region (prin1-to-string stored) nil part nil 'silent))
    (rename-file part path t)))

(defun redline-offers--store (id state)
  "Store the edit ID of this buffer, whose STATE is an `EditState'."
  (let ((hunks (plist-get state :hunks)))
    (unless (seq-empty-p hunks)
      (pcase-let ((`(,range ,text) (redline-offers--joined hunks)))
        (condition-case problem
            (redline-offers--write
             (redline-offers--path id)
             (list :id id :pid (emacs-pid) :text (buffer-hash)
                   :offer (list :range range :newText text
                                :instruction (plist-get state :instruction))))
          (file-error
           (message "Redline: an offer that waits cannot be stored: %s"
                    (error-message-string problem))))))))

(defun redline-offers--ask-and-store (id)
  "Ask the server for the edit ID, and store it."
  (remhash id redline-offers--timers)
  (redline--in-buffer-of id
    (when (eglot-managed-p)
      (eglot--signal-textDocument/didChange)
      (let ((tick (buffer-chars-modified-tick)))
        (jsonrpc-async-request
         (eglot-current-server) :workspace/executeCommand
         (list :command "redline.editState"
               :arguments (vector (list :sessionId id)))
         :success-fn
         (lambda (state)
           ;; It may be over by now.
           (redline--in-buffer-of id
             (when (eql tick (buffer-chars-modified-tick))
               (redline-offers--store id state))))
         :error-fn #'ignore
         :timeout-fn #'ignore)))))

(defun redline-offers--keep (session)
  "Store what is left of SESSION, once it has been the same for a moment."
  (let ((id (redline--session-id session)))
    (when-let* ((timer (gethash id redline-offers--timers)))
      (cancel-timer timer))
    (puthash id (run-with-timer redline-offers--pause nil
                                #'redline-offers--ask-and-store id)
             redline-offers--timers)))

(defun redline-offers--forget (id)
  "Forget the edit ID of this buffer, which was decided."
  (let ((path (redline-offers--path id)))
    (when (file-exists-p path)
      (delete-file path))))

(defun redline-offers--shown-p (stored)
  "Whether an Emacs that runs shows the STORED offer."
  (let ((pid (plist-get stored :pid)))
    (if (eql pid (emacs-pid))
        (redline--session (plist-get stored :id))
      (process-attributes pid))))

(defun redline-offers--read (path)
  "Return what is stored at PATH; nil if it cannot be read."
  (ignore-errors
    (with-temp-buffer
      (let ((coding-system-for-read 'utf-8-emacs-unix))
        (insert-file-contents path))
      (read (current-buffer)))))

(defun redline-offers--offer-again ()
  "Offer again what waited in this buffer when it had this text.
What was stored long ago is deleted."
  (let ((prefix (redline-offers--prefix)))
    (pcase-dolist (`(,path . ,attributes)
                   (when (file-directory-p (redline-offers--folder))
                     (directory-files-and-attributes (redline-offers--folder)
                                                     t "\\.eld\\(?:\\.part\\)?\\'")))
      (if (time-less-p redline-offers--most-age
                       (time-since (file-attribute-modification-time attributes)))
          (delete-file path)
        (when-let* (((string-prefix-p prefix (file-name-nondirectory path)))
                    (stored (redline-offers--read path))
                    ((not (redline-offers--shown-p stored)))
                    ((equal (plist-get stored :text) (buffer-hash))))
          (redline--run "bringBack"
                        (list :uri (redline--uri) :offer (plist-get stored :offer))
                        (lambda (outcome)
                          (delete-file path)
                          (redline--show-outcome outcome))))))))

(defun redline-offers--follow-eglot ()
  "Bring back what waited in a buffer that Redline serves.
What is shown in a buffer that is not served any more goes."
  (cond ((not (eglot-managed-p))
         (mapc #'redline--erase redline--sessions)
         (setq redline--sessions nil)
         (redline-preview-mode -1))
        ((cl-typep (eglot-current-server) 'redline-server)
         (redline-offers--offer-again))))

(add-hook 'eglot-managed-mode-hook #'redline-offers--follow-eglot)

(provide 'redline-offers)
;;; redline-offers.el ends here
